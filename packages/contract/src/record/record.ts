import {
  binaryMetadataSchema,
  continuationSchema,
  type FieldCut,
  parseFieldPath,
  roleSchema,
  streamNameSchema,
  valueAt,
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

/** An incoming record. */
export type RecordEnvelope = z.infer<typeof recordEnvelopeSchema>;

/** A value that is too long for the record's data: its type and size, and the call that reads on. */
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
  head: z.string().describe("How the value begins; left out where data holds it.").optional(),
  read: continuationSchema.optional(),
});

/** A value that is too long for the record's data. */
export type Cut = z.infer<typeof cutSchema>;

/** How the source declares a field to be shown. */
export const shownFieldSchema = z.looseObject({
  name: z.string(),
  role: roleSchema.optional(),
  media_type: z.string().optional(),
  encoding: z.string().optional(),
});

/** A record in a response: its granted fields, with long values cut to a prefix and listed in `cuts`. */
export const recordSchema = z.looseObject({
  object: z.literal("record"),
  id: z.string().describe("The record's canonical key."),
  handle: z.string().describe("The one id that is enough to fetch the record or read its fields."),
  connection_id: z.string(),
  connector_key: z.string().nullable().optional(),
  display_name: z.string().nullable().optional(),
  stream: z.string(),
  emitted_at: z.string(),
  data: z.record(z.string(), z.unknown()),
  cuts: z.array(cutSchema).optional(),
  shapes: z
    .array(shownFieldSchema)
    .describe("The fields that have a declared role, media type or encoding.")
    .optional(),
});

/** A record in a response. */
export type OutgoingRecord = z.infer<typeof recordSchema>;

/** Restores the prefix of each cut: on the wire a text's prefix travels once, in `data`. */
export function restoreCuts({ data, cuts = [] }: Pick<OutgoingRecord, "data" | "cuts">): FieldCut[] {
  return cuts.map(({ path, kind, size_chars, size_bytes, digest, head, binary }) => {
    const held = binary ? "" : (head ?? valueAt(data, parseFieldPath(path) ?? []));
    const prefix = typeof held === "string" ? held : "";
    return { path, kind, size_chars, size_bytes, digest, prefix, ...(binary && { binary }) };
  });
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
