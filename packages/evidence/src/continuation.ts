import { z } from "zod";

/** The read operations that an answer can send its reader on to. */
export const operationNameSchema = z.enum([
  "search",
  "fetch",
  "read_record_field",
  "query_records",
  "aggregate",
  "schema",
  "read_blob",
]);

const argumentNameSchema = z.string().regex(/^[a-z][a-z0-9_]*$/);
const argumentSchema = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

/** One argument of a call. */
export type Argument = z.infer<typeof argumentSchema>;

/** A call that goes on from here, with every argument filled in. */
export const continuationSchema = z.object({
  operation: operationNameSchema,
  args: z.record(argumentNameSchema, argumentSchema),
});

/** A call that goes on from here. */
export type Continuation = z.infer<typeof continuationSchema>;

/** How one face writes a continuation: a tool call, a command line. */
export type CallWriter = (continuation: Continuation) => string;
