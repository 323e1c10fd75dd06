import { z } from "zod";

/** The range of a match in its field: code points, `end_chars` excluded. */
export const matchSchema = z.object({ start_chars: z.int().min(0), end_chars: z.int().min(0) });

/** The range of a match in its field. */
export type Match = z.infer<typeof matchSchema>;
