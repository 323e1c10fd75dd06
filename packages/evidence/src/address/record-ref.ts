import { z } from "zod";
import { countChars } from "../text/code-points.ts";

/** The longest connection id and stream name. */
export const SEGMENT_MAX_CHARS = 128;

/** The longest canonical key of a record, in code points. */
export const RECORD_ID_MAX_CHARS = 512;

const segmentSchema = z.string().min(1).max(SEGMENT_MAX_CHARS);

/** A connection id: letters, digits and `._~-`, so that it needs no escaping in a handle, a path or a shell. */
export const connectionIdSchema = segmentSchema.regex(/^(?!\.{1,2}$)[A-Za-z0-9._~-]+$/);

/** A stream name that a manifest may declare: the same characters as a connection id. */
export const streamNameSchema = segmentSchema.regex(/^(?!\.{1,2}$)[A-Za-z0-9._~-]+$/);

/** A record's canonical key: any well-formed, non-empty text up to `RECORD_ID_MAX_CHARS`. */
export const recordIdSchema = z
  .string()
  .min(1)
  .refine((key) => key.isWellFormed() && countChars(key) <= RECORD_ID_MAX_CHARS, {
    message: `must be well-formed text of at most ${RECORD_ID_MAX_CHARS} characters`,
  });

/** The three names that identify a record. Another server's stream may have `:` in its name; its records are shown as URIs (R03). */
export const recordRefSchema = z.object({
  connection_id: connectionIdSchema,
  stream: segmentSchema.regex(/^(?!\.{1,2}$)[A-Za-z0-9._~:-]+$/),
  record_id: recordIdSchema,
});

/** The three names that identify a record. */
export type RecordRef = z.infer<typeof recordRefSchema>;

/** The `record` object of a field window, exactly as its output schema fixes it: the id and its three parts. */
export const recordIdentitySchema = z.strictObject({
  id: z.string(),
  connection_id: z.string(),
  stream: z.string(),
  record_id: z.string(),
});

/** A record's id and its three parts. */
export type RecordIdentity = z.infer<typeof recordIdentitySchema>;

/** The text form of a key: the plain string, or the minified JSON array of a compound key. */
export function canonicalKey(key: string | readonly string[]): string {
  return typeof key === "string" ? key : JSON.stringify(key);
}
