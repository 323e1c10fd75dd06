import { streamNameSchema } from "@rungs/evidence";
import { z } from "zod";
import { jsonSchemaSchema } from "../json-schema/index.ts";
import { isReservedName } from "./names.ts";
import { selectionPresetSchema } from "./stream-selection.ts";

/** The version of the protocol that manifests and grants are written in. */
export const PROTOCOL_VERSION = "0.1.0";

/** The sources of tables whose declaration was inferred from their columns: the current id, and that of connections of an older version. */
export const TABLE_SOURCE_IDS: readonly string[] = [
  "urn:rungs:connector:table",
  "https://rungs.example/connectors/table",
];

/** An absolute URI, compared character by character: never fetched, never normalized. */
export const absoluteUriSchema = z
  .string()
  .max(2048)
  .regex(/^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{Cc}]+$/u, { error: "must be an absolute URI" });

/** Where data comes from: a connector or a provider, named by an absolute URI. */
export const sourceSchema = z.strictObject({
  kind: z.enum(["connector", "provider_native"]),
  id: absoluteUriSchema,
});

const fieldNames = z.array(z.string());

/**
 * Records of another stream that belong to a record. `many`: their field `foreign_key` holds this record's key. `one`: this
 * record's field `foreign_key` holds theirs. Without a cardinality answers show no call.
 */
const relationshipSchema = z.looseObject({
  name: z.string(),
  stream: z.string(),
  foreign_key: z.string().optional(),
  cardinality: z.enum(["one", "many"]).optional().catch(undefined),
});

const manifestStreamSchema = z.strictObject({
  name: streamNameSchema.refine((name) => !isReservedName(name), { message: "is a reserved name" }),
  description: z.string().optional(),
  display: z.looseObject({ label: z.string().optional(), detail: z.string().optional() }).optional(),
  semantics: z.enum(["append_only", "mutable_state"]),
  schema: jsonSchemaSchema,
  primary_key: fieldNames.min(1),
  cursor_field: z.string().optional(),
  consent_time_field: z.string().optional(),
  selection: z.strictObject({ fields: z.boolean().optional(), resources: z.boolean().optional() }).optional(),
  views: z
    .array(z.strictObject({ id: z.string().min(1), label: z.string().optional(), fields: fieldNames.min(1) }))
    .optional(),
  relationships: z.array(relationshipSchema).optional(),
  query: z
    .strictObject({
      range_filters: z.union([fieldNames, z.record(z.string(), z.array(z.string()))]).optional(),
      expand: z.array(z.looseObject({ name: z.string() })).optional(),
      search: z.looseObject({ lexical_fields: fieldNames.optional() }).optional(),
      aggregations: z.looseObject({}).optional(),
    })
    .optional(),
});

/** The form of a source declaration; `requireManifest` also checks that its parts are consistent. */
export const manifestSchema = z.strictObject({
  protocol_version: z.literal(PROTOCOL_VERSION),
  source: sourceSchema,
  declaration_version: z.string().min(1).max(128),
  publisher: z.looseObject({ id: z.string().min(1) }).optional(),
  display: z.looseObject({ name: z.string().min(1) }).optional(),
  selection_presets: z.array(selectionPresetSchema).optional(),
  streams: z.array(manifestStreamSchema).min(1),
  extensions: z.record(z.string(), z.unknown()).optional(),
});

/** A source declaration: the streams of a source, their schemas and their abilities. */
export type Manifest = z.infer<typeof manifestSchema>;

/** One stream of a source declaration. */
export type ManifestStream = z.infer<typeof manifestStreamSchema>;
