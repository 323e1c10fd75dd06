/** How the importers write their manifests. */
import { type Manifest, requireManifest } from "@rungs/contract";

/** Field shapes that most streams share. */
export const shapes = {
  text: { type: "string" },
  title: { type: "string", x_pdpp_role: "primary-title" },
  body: { type: "string", contentMediaType: "text/plain", x_pdpp_role: "body" },
  actor: { type: "string", x_pdpp_role: "actor" },
  time: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
  texts: { type: "array", items: { type: "string" } },
  integer: { type: "integer" },
  flag: { type: "boolean" },
  blob: {
    type: "object",
    required: ["blob_id"],
    properties: {
      blob_id: { type: "string" },
      mime_type: { type: "string" },
      size_bytes: { type: "integer" },
      sha256: { type: "string" },
    },
  },
} as const;

/** A stream in short: its key is `id`, and every field is declared. */
export interface StreamOutline {
  readonly name: string;
  readonly label: string;
  /** The field that says when a record happened; left out where records have no time. */
  readonly time_field?: string;
  readonly searched: readonly string[];
  readonly properties: Readonly<Record<string, object>>;
  readonly views?: readonly { readonly id: string; readonly label: string; readonly fields: string[] }[];
}

/** Writes the manifest of a connector. */
export function declare(connector: string, name: string, streams: readonly StreamOutline[]): Manifest {
  return requireManifest({
    protocol_version: "0.1.0",
    source: { kind: "connector", id: `https://rungs.example/connectors/${connector}` },
    declaration_version: "1",
    display: { name },
    streams: streams.map(({ name, label, time_field, searched, properties, views }) => ({
      name,
      display: { label },
      semantics: "mutable_state",
      primary_key: ["id"],
      ...(time_field === undefined ? {} : { cursor_field: time_field, consent_time_field: time_field }),
      ...(views === undefined ? {} : { views }),
      query: { search: { lexical_fields: searched } },
      schema: { type: "object", required: ["id"], properties },
    })),
  });
}
