import {
  binaryMetadataSchema,
  continuationSchema,
  type FieldCut,
  parseFieldPath,
  roleSchema,
  streamNameSchema,
} from "@rungs/evidence";
import { z } from "zod";

const dateTime = z.iso.datetime({ offset: true });

/** An incoming record, or its deletion. */
export const recordEnvelopeSchema = z.strictObject({
  stream: streamNameSchema,
  key: z.union([z.string(), z.array(z.string()).min(1)]),
  data: z.record(z.string(), z.unknown()).optional(),
  emitted_at: dateTime,
  op: z.enum(["upsert", "delete"]).optional(),
});

/** An incoming record of a stream that the request names; `type` is what connectors call the line (RECORD). */
export const collectedRecordSchema = recordEnvelopeSchema
  .partial({ stream: true })
  .extend({ type: z.literal("RECORD").optional() });

/** An incoming record. */
export type RecordEnvelope = z.infer<typeof recordEnvelopeSchema>;

/** The placeholder in a record's data for a value too long for the answer: never a string that looks whole. */
const cutValueSchema = z.looseObject({
  object: z.literal("cut_value"),
  preview: z.string().describe("How the value's text begins."),
  size_chars: z.int().min(0).describe("How long the whole text is."),
});

/** A value that is too long for the answer: its type and size, and the call that reads on. */
export const cutSchema = z.looseObject({
  path: z.string(),
  kind: z
    .enum(["text", "json", "binary"])
    .describe("json: windows are over the value's serialized text. binary: the string encodes bytes."),
  size_chars: z.int().min(0),
  size_bytes: z.int().min(0),
  digest: z.string(),
  binary: binaryMetadataSchema
    .describe("What a binary string encodes; read_blob takes its blob_id.")
    .optional(),
  read: continuationSchema.optional(),
});

/** A value that is too long for the answer. */
export type Cut = z.infer<typeof cutSchema>;

/** How the source declares a field to be shown. */
export const shownFieldSchema = z.looseObject({
  name: z.string(),
  role: roleSchema.optional(),
  media_type: z.string().optional(),
  encoding: z.string().optional(),
});

/** Records that the source declares to belong to a record, and the call that shows them. */
const relatedSchema = z.looseObject({ name: z.string(), read: continuationSchema });

/** A record in a response: its granted fields. Values that are too long for the answer are marked in `data` and listed in `cuts`. */
export const recordSchema = z.looseObject({
  object: z.literal("record"),
  id: z.string().describe("The record's canonical key."),
  handle: z.string().describe("The only id needed to fetch the record or read its fields."),
  connection_id: z.string(),
  connector_key: z.string().nullable().optional(),
  display_name: z.string().nullable().optional(),
  stream: z.string(),
  emitted_at: z.string(),
  data: z
    .record(z.string(), z.unknown())
    .describe(
      'The granted fields, whole. A value that is too long for the answer is {"object":"cut_value","preview","size_chars"} instead, and cuts lists it.',
    ),
  cuts: z
    .array(cutSchema)
    .describe("The values of data that are cut, each with its size, digest and the call that reads on.")
    .optional(),
  shapes: z
    .array(shownFieldSchema)
    .describe("The fields that have a declared role, media type or encoding.")
    .optional(),
  related: z
    .array(relatedSchema)
    .describe("Granted records that belong to it, such as a message's attachments; only in fetch.")
    .optional(),
});

/** A record in a response. */
export type OutgoingRecord = z.infer<typeof recordSchema>;

/** Marks a cut value in the data of a record. */
export function markCut(preview: string, size_chars: number): z.infer<typeof cutValueSchema> {
  return { object: "cut_value", preview, size_chars };
}

/** A record's data with prefixes in place of the marks (null for cut JSON), and the cuts with these prefixes. */
export function restoreCuts({ data, cuts = [] }: Pick<OutgoingRecord, "data" | "cuts">): {
  data: Record<string, unknown>;
  cuts: FieldCut[];
} {
  const restored = { ...data };
  // Only `cuts` decides what is a mark: a record may hold an object that looks like one.
  const prefixed = cuts.map(({ path, kind, size_chars, size_bytes, digest, binary }) => {
    const facts = { path, kind, size_chars, size_bytes, digest };
    if (binary) return { ...facts, prefix: "", binary };
    const name = String(parseFieldPath(path)?.[0] ?? "");
    const prefix = cutValueSchema.safeParse(restored[name]).data?.preview ?? "";
    restored[name] = kind === "text" ? prefix : null;
    return { ...facts, prefix };
  });
  return { data: restored, cuts: prefixed };
}

/** The tombstone of a record that was deleted, or that the grant no longer covers. */
export const tombstoneSchema = z.looseObject({
  object: z.literal("record"),
  id: z.string(),
  connection_id: z.string(),
  stream: z.string(),
  deleted: z.literal(true),
  deleted_at: z.string(),
  emitted_at: z.string(),
});

/** The tombstone of a record. */
export type Tombstone = z.infer<typeof tombstoneSchema>;
