/** JSON Schemas for answers that the specification lacks, written from docs/operations.md. */
import { count, record, time } from "./schema-parts.ts";

const text = { type: "string", minLength: 1 };

const status = (more: object = {}) => ({
  type: "object",
  required: ["status", ...Object.keys(more)],
  additionalProperties: false,
  properties: { status: { const: "ok" }, ...more },
});

const watchLine = {
  type: "object",
  required: ["object", "connection_id", "stream", "changes_since", "next_changes_since"],
  additionalProperties: false,
  properties: {
    object: { enum: ["stream_watched", "stream_changed"] },
    connection_id: text,
    stream: text,
    changes_since: text,
    next_changes_since: text,
  },
};

/** By name of the answer; for NDJSON, the schema of one line. */
export const ownSchemas = {
  healthz: status({ version: text }),
  livez: status(),
  readyz: status(),
  openapi: {
    type: "object",
    required: ["openapi", "info", "paths"],
    properties: { openapi: { const: "3.1.0" }, paths: { type: "object" } },
  },
  query: {
    type: "object",
    required: ["object", "url", "has_more", "data"],
    properties: {
      object: { const: "list" },
      has_more: { type: "boolean" },
      data: { type: "array", items: record },
    },
  },
  thread: {
    type: "object",
    required: ["object", "url", "anchor", "in_thread", "data", "has_before", "has_after"],
    properties: {
      object: { const: "thread" },
      in_thread: { type: "boolean" },
      data: { type: "array", minItems: 1, items: record },
    },
  },
  export_link: {
    type: "object",
    required: ["object", "url", "expires_at", "streams"],
    properties: {
      object: { const: "export_link" },
      url: text,
      expires_at: time,
    },
  },
  export_line: {
    anyOf: [
      record,
      {
        type: "object",
        required: ["object", "record_count"],
        properties: { object: { const: "export_end" }, record_count: count },
      },
    ],
  },
  watch_line: watchLine,
  import: {
    type: "object",
    required: ["object", "connection_id", "added", "unchanged", "rejections"],
    properties: {
      object: { const: "ingest_result" },
      added: count,
      unchanged: count,
      rejections: { type: "array" },
    },
  },
};
