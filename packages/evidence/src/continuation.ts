import { z } from "zod";

const NAME = /^[a-z][a-z0-9_]*$/;
const argumentSchema = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

/** One argument of a call. */
export type Argument = z.infer<typeof argumentSchema>;

/** A next call with every argument filled in. The contract's table of operations holds the names. */
export const continuationSchema = z.object({
  operation: z.string().regex(NAME),
  args: z.record(z.string().regex(NAME), argumentSchema),
});

/** A next call with every argument filled in. */
export type Continuation = z.infer<typeof continuationSchema>;

/** Writes a continuation for one interface: as a tool call, as a command line. */
export type CallWriter = (continuation: Continuation) => string;
