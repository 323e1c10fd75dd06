import { z } from "zod";
import { recordIdentitySchema } from "../address/record-ref.ts";
import { continuationSchema } from "../continuation.ts";
import { fieldKindSchema, sizeGradeSchema } from "./field-kind.ts";

/** How much of a field a preview shows. */
export const previewStatusSchema = z.enum([
  "complete",
  "truncated",
  "snippet-only",
  "binary-only",
  "unavailable",
]);

/** How much of a field a preview shows. */
export type PreviewStatus = z.infer<typeof previewStatusSchema>;

/** One previewed field: its kind, how much was shown, and the next call. */
export const ladderFieldSchema = z.looseObject({
  path: z.string(),
  type: fieldKindSchema,
  mime_type: z.string().optional(),
  /** Absent in a search hit for a small field. */
  size_grade: sizeGradeSchema.optional(),
  text_like: z.boolean().optional(),
  size_chars: z.int().min(0).optional(),
  size_bytes: z.int().min(0).optional(),
  preview_status: previewStatusSchema,
  digest: z.string().optional(),
  next: continuationSchema.optional(),
});

/** One previewed field of a content ladder. */
export type LadderField = z.infer<typeof ladderFieldSchema>;

/** One record of a content ladder. A search hit has only the id, since the flat results name its parts, and its evidence as one plain string (R15). */
export const ladderRecordSchema = z.looseObject({
  ...recordIdentitySchema.partial().shape,
  id: z.string(),
  evidence_preview: z.string().optional(),
  fields: z.array(ladderFieldSchema),
  next: continuationSchema.optional(),
  /** Later hits that show nearly the same: how many, and the call that lists them. */
  similar: z.looseObject({ count: z.int(), open: continuationSchema }).optional(),
  /** Records that belong to it, such as a message's attachments. */
  related: z.array(z.looseObject({ name: z.string(), read: continuationSchema })).optional(),
});

/** One record of a content ladder. */
export type LadderRecord = z.infer<typeof ladderRecordSchema>;

/** What an answer shows of each record and field, with the next calls (R37). */
export const contentLadderSchema = z.looseObject({ records: z.array(ladderRecordSchema) });

/** What an answer shows of each record and field, with the next calls. */
export type ContentLadder = z.infer<typeof contentLadderSchema>;
