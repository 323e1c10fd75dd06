import type { Manifest } from "./manifest-schema.ts";

/** A small source declaration that uses most features; tests and documentation show it. */
export const exampleManifest: Manifest = {
  protocol_version: "0.1.0",
  source: { kind: "connector", id: "https://rungs.example/connectors/mail" },
  declaration_version: "1",
  publisher: { id: "https://rungs.example" },
  display: { name: "Mail" },
  selection_presets: [
    { id: "headers", label: "Headers only", streams: [{ name: "messages", view: "headers" }] },
  ],
  streams: [
    {
      name: "messages",
      description: "One mail message.",
      display: { label: "Messages" },
      semantics: "append_only",
      primary_key: ["id"],
      cursor_field: "sent_at",
      consent_time_field: "sent_at",
      selection: { fields: true, resources: true },
      views: [{ id: "headers", label: "Headers", fields: ["id", "subject", "from", "sent_at"] }],
      query: {
        range_filters: { sent_at: ["gte", "lt"], subject: [] },
        search: { lexical_fields: ["subject", "body", "parts", "from.name"] },
      },
      schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          subject: { type: ["string", "null"], x_pdpp_role: "primary-title" },
          body: { type: "string", contentMediaType: "text/plain", x_pdpp_role: "body" },
          from: { $ref: "#/$defs/person", x_pdpp_role: "actor" },
          sent_at: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
          size_bytes: { type: "integer", minimum: 0 },
          unread: { type: "boolean" },
          parts: { type: "array", items: { $ref: "#/$defs/part" } },
          raw: { type: "string", contentEncoding: "base64", contentMediaType: "message/rfc822" },
          anything: true,
        },
        $defs: {
          person: {
            type: "object",
            properties: { name: { type: "string" }, address: { type: "string", format: "email" } },
          },
          part: {
            type: "object",
            required: ["text"],
            properties: {
              text: { type: "string" },
              parts: { type: "array", items: { $ref: "#/$defs/part" } },
            },
          },
        },
      },
    },
    {
      name: "labels",
      semantics: "mutable_state",
      primary_key: ["account", "number"],
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
    },
  ],
};
