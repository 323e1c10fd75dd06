/** Source declarations for the suite: one stream for each case that the store must handle. */
import { type Manifest, type ManifestStream, requireManifest } from "@rungs/contract";

/** Mail: a title, long text, nested text, JSON, scalars of each type, a blob, a time to filter and sort by. */
const messages: ManifestStream = {
  name: "messages",
  semantics: "mutable_state",
  primary_key: ["id"],
  cursor_field: "sent_at",
  consent_time_field: "sent_at",
  query: {
    range_filters: ["code", "parts"],
    search: { lexical_fields: ["subject", "from.name", "body", "parts", "note", "code"] },
  },
  schema: {
    type: "object",
    required: ["id"],
    properties: {
      id: { type: "string" },
      from: { $ref: "#/$defs/person", x_pdpp_role: "actor" },
      subject: { type: ["string", "null"], x_pdpp_role: "primary-title" },
      body: { type: "string", contentMediaType: "text/plain", x_pdpp_role: "body" },
      parts: { type: "array", items: { $ref: "#/$defs/part" } },
      note: { type: "string" },
      sent_at: { type: ["string", "null"], format: "date-time", x_pdpp_role: "event-time" },
      size_bytes: { type: "integer" },
      amount: { type: ["number", "null"] },
      unread: { type: "boolean" },
      label: { type: ["string", "null"], x_pdpp_role: "thread" },
      due: { type: "string", format: "date" },
      code: { type: "string" },
      payload: { type: ["object", "array", "null"] },
      attachment: { type: ["object", "null"] },
      raw: { type: "string", contentEncoding: "base64" },
    },
    $defs: {
      person: {
        type: "object",
        properties: { name: { type: "string" }, address: { type: "string" } },
      },
      part: {
        type: "object",
        properties: {
          kind: { type: "string" },
          text: { type: "string" },
          size: { type: "integer" },
          parts: { type: "array", items: { $ref: "#/$defs/part" } },
        },
      },
    },
  },
};

/** A compound key, no time, no cursor field. */
const labels: ManifestStream = {
  name: "labels",
  semantics: "mutable_state",
  primary_key: ["account", "number"],
  query: { search: { lexical_fields: ["name"] } },
  schema: {
    type: "object",
    required: ["account", "number", "name"],
    properties: {
      account: { type: "string" },
      number: { type: "integer" },
      name: { type: "string", x_pdpp_role: "primary-title" },
    },
    additionalProperties: false,
  },
};

/** Records that never change; the time is an epoch number. */
const events: ManifestStream = {
  name: "events",
  semantics: "append_only",
  primary_key: ["id"],
  cursor_field: "at",
  consent_time_field: "at",
  query: { search: { lexical_fields: ["detail.lines.text"] } },
  schema: {
    type: "object",
    required: ["id"],
    properties: {
      id: { type: "string" },
      at: { type: ["integer", "null"] },
      detail: { type: "object" },
    },
  },
};

/** Nothing to search in. */
const meters: ManifestStream = {
  name: "meters",
  semantics: "mutable_state",
  primary_key: ["id"],
  cursor_field: "reading",
  schema: {
    type: "object",
    required: ["id"],
    properties: {
      id: { type: "string" },
      reading: { type: ["number", "null"] },
      place: { type: "string" },
    },
  },
};

/** Records that belong to messages. */
const files: ManifestStream = {
  name: "files",
  semantics: "mutable_state",
  primary_key: ["id"],
  cursor_field: "made_at",
  consent_time_field: "made_at",
  query: { search: { lexical_fields: ["name", "text"] } },
  relationships: [{ name: "message", stream: "messages", foreign_key: "message_id", cardinality: "one" }],
  schema: {
    type: "object",
    required: ["id"],
    properties: {
      id: { type: "string" },
      message_id: { type: ["string", "null"] },
      name: { type: "string", x_pdpp_role: "primary-title" },
      text: { type: "string", x_pdpp_role: "body" },
      made_at: { type: ["string", "null"], format: "date-time", x_pdpp_role: "event-time" },
      size: { type: "integer" },
    },
  },
};

/** Records that belong to files, so that a message is the parent of their parent. */
const marks: ManifestStream = {
  name: "marks",
  semantics: "mutable_state",
  primary_key: ["id"],
  query: { search: { lexical_fields: ["text"] } },
  relationships: [{ name: "file", stream: "files", foreign_key: "file_id", cardinality: "one" }],
  schema: {
    type: "object",
    required: ["id"],
    properties: { id: { type: "string" }, file_id: { type: "string" }, text: { type: "string" } },
  },
};

export const SOURCE_ID = "https://rungs.example/sources/suite";

/** The declaration that most tests use; `change` makes other versions of it. */
export function createManifest(
  version = "1",
  change: (streams: ManifestStream[]) => void = () => undefined,
): Manifest {
  const streams = structuredClone([messages, labels, events, meters, files, marks]);
  change(streams);
  return requireManifest({
    protocol_version: "0.1.0",
    source: { kind: "connector", id: SOURCE_ID },
    declaration_version: version,
    display: { name: "Suite" },
    streams,
  });
}
