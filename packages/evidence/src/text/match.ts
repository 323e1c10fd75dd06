import { z } from "zod";

/** Where a match is in its field: code points, `end_chars` excluded. */
export const matchSchema = z.object({ start_chars: z.int().min(0), end_chars: z.int().min(0) });

/** Where a match is in its field. */
export type Match = z.infer<typeof matchSchema>;
