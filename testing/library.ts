/** The source declaration of the test world: fields of every kind. */
import { type Manifest, type RecordEnvelope, requireManifest } from "@rungs/contract";

/** Notes with a time field, and shelves with a compound key and no time field. */
export const library: Manifest = requireManifest({
  protocol_version: "0.1.0",
  source: { kind: "connector", id: "https://rungs.example/connectors/library" },
  declaration_version: "1",
  display: { name: "Library" },
  streams: [
    {
      name: "notes",
      description: "One note.",
      display: { label: "Notes" },
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "written_at",
      consent_time_field: "written_at",
      views: [
        { id: "titles", fields: ["id", "title"] },
        { id: "private", fields: ["id", "secret"] },
      ],
      relationships: [
        { name: "shelf", stream: "shelves", foreign_key: "shelf" },
        { name: "owner", stream: "people" },
      ],
      query: {
        range_filters: ["written_at", "title"],
        search: { lexical_fields: ["title", "body", "payload", "secret"] },
      },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          title: { type: "string", x_pdpp_role: "primary-title" },
          body: { type: "string", contentMediaType: "text/plain", x_pdpp_role: "body" },
          written_at: { type: ["string", "null"], format: "date-time", x_pdpp_role: "event-time" },
          topic: { type: "string", x_pdpp_role: "thread" },
          rating: { type: "integer" },
          done: { type: "boolean" },
          payload: { $ref: "#/$defs/payload" },
          picture: { $ref: "#/$defs/blob" },
          raw: { type: "string", contentEncoding: "base64", contentMediaType: "image/png" },
          secret: { type: "string" },
        },
        $defs: {
          payload: { type: "object", properties: { parts: { type: "array" } } },
          blob: { type: "object", required: ["blob_id"], properties: { blob_id: { type: "string" } } },
          unused: { type: "string", title: "hidden definition" },
        },
      },
    },
    {
      name: "shelves",
      semantics: "mutable_state",
      primary_key: ["room", "number"],
      schema: {
        type: "object",
        required: ["room", "number"],
        properties: { room: { type: "string" }, number: { type: "string" }, label: { type: "string" } },
      },
    },
  ],
});

/** A record of the library's notes. */
export function createNote(key: string, data: Readonly<Record<string, unknown>>): RecordEnvelope {
  return { stream: "notes", key, emitted_at: "2026-05-01T00:00:00Z", data: { id: key, ...data } };
}
