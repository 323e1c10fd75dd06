import { z } from "zod";
import { recordIdentitySchema } from "../address/record-ref.ts";

/** The `field` object of a field window, exactly as its output schema fixes it. */
export const fieldInfoSchema = z.strictObject({
  path: z.string(),
  mime_type: z.string().optional(),
  text_like: z.boolean(),
  size_chars: z.int().optional(),
  digest: z.string().optional(),
});

/** The field that a window was cut from. */
export type FieldInfo = z.infer<typeof fieldInfoSchema>;

/** The `window` object of a field window, exactly as its output schema fixes it. */
export const windowSchema = z.strictObject({
  text: z.string(),
  start_chars: z.int(),
  end_chars: z.int(),
  limit_chars: z.int(),
  complete: z.boolean(),
  next_cursor: z.string().nullable().optional(),
  previous_cursor: z.string().nullable().optional(),
  match: z
    .strictObject({
      q: z.string().optional(),
      start_chars: z.int().optional(),
      end_chars: z.int().optional(),
    })
    .nullable()
    .optional(),
});

/** A piece of a field's text, its range, and the cursors to the adjacent windows. */
export type FieldWindowText = z.infer<typeof windowSchema>;

/** The answer of `read_record_field`, exactly as its output schema fixes it (R20). */
export const fieldWindowSchema = z.strictObject({
  record: recordIdentitySchema,
  field: fieldInfoSchema,
  window: windowSchema,
  resource: z
    .strictObject({
      uri: z.string().optional(),
      next_uri: z.string().nullable().optional(),
      previous_uri: z.string().nullable().optional(),
    })
    .optional(),
});

/** One window of one field of one record. */
export type FieldWindow = z.infer<typeof fieldWindowSchema>;
