/** The shapes of the specification (core 0.1.0, sections 4, 8) and of the published OpenAPI document, as JSON Schemas. */

import {
  count,
  countMeta,
  foundBy,
  freshness,
  isExperimental,
  listOf,
  record,
  retrieval,
  searchResult,
  secret,
  status,
  streamMetadata,
  subscription,
  time,
} from "./schema-parts.ts";

/** By name of the answer. */
export const protocolSchemas = {
  index: {
    type: "object",
    required: ["object", "role", "resource_name", "links", "reference_revision"],
    additionalProperties: false,
    properties: {
      object: { const: "pdpp_discovery_index" },
      role: { enum: ["authorization_server", "resource_server"] },
      resource_name: { type: "string", minLength: 1 },
      reference_revision: { type: "string", minLength: 1 },
      links: {
        type: "object",
        additionalProperties: false,
        properties: Object.fromEntries(
          ["connectors", "core_query_base", "schema", "well_known", "well_known_authorization_server"].map(
            (name) => [name, { type: "string", minLength: 1 }],
          ),
        ),
      },
    },
  },
  connectors: listOf({
    type: "object",
    required: ["object", "source", "stream_count", "streams"],
    properties: {
      object: { const: "connector" },
      connector_id: { type: "string" },
      source: { type: "object" },
      stream_count: count,
      streams: {
        type: "array",
        items: {
          type: "object",
          required: ["object", "name"],
          properties: {
            object: { const: "stream" },
            name: { type: "string" },
            record_count: count,
            last_updated: { type: ["string", "null"] },
            freshness,
          },
        },
      },
    },
  }),
  ingest: {
    type: "object",
    required: ["records_accepted", "records_rejected"],
    properties: { stream: { type: "string" }, records_accepted: count, records_rejected: count },
  },
  state: {
    type: "object",
    required: ["object", "state", "updated_at"],
    properties: {
      object: { const: "stream_state" },
      connector_id: { type: "string" },
      state: { type: "object" },
      updated_at: { anyOf: [time, { type: "null" }] },
    },
  },
  blob: {
    type: "object",
    required: ["object", "blob_id", "sha256", "size_bytes", "mime_type"],
    additionalProperties: false,
    properties: {
      object: { const: "blob" },
      blob_id: { type: "string", minLength: 1 },
      sha256: { type: "string", pattern: "^[0-9a-f]{64}$" },
      size_bytes: count,
      mime_type: { type: "string" },
    },
  },
  connector: {
    type: "object",
    required: ["object", "connector_id"],
    properties: { object: { const: "connector" }, connector_id: { type: "string" }, stream_count: count },
  },
  subscription,
  subscriptions: {
    type: "object",
    required: ["data"],
    additionalProperties: false,
    properties: { data: { type: "array", items: subscription } },
  },
  subscription_created: {
    type: "object",
    required: ["subscription_id", "secret", "status", "callback_url", "created_at"],
    additionalProperties: false,
    properties: {
      subscription_id: { type: "string", minLength: 1 },
      secret,
      status,
      callback_url: { type: "string" },
      created_at: time,
    },
  },
  subscription_updated: {
    type: "object",
    required: ["subscription"],
    additionalProperties: false,
    properties: { subscription, secret },
  },
  test_event: {
    type: "object",
    required: ["event_id"],
    additionalProperties: false,
    properties: { event_id: { type: "string", minLength: 1 } },
  },
  event: {
    type: "object",
    required: ["specversion", "id", "type", "source", "time", "pdppversion", "data"],
    // CloudEvents: attribute names are lower-case letters and digits.
    propertyNames: { pattern: "^[a-z0-9]+$" },
    properties: {
      specversion: { const: "1.0" },
      type: {
        enum: [
          "pdpp.subscription.verify",
          "pdpp.subscription.test",
          "pdpp.records.changed",
          "pdpp.grant.revoked",
        ],
      },
      time,
      pdppversion: { const: "1" },
      data: {
        type: "object",
        required: ["subscription_id"],
        additionalProperties: false,
        properties: {
          subscription_id: { type: "string" },
          challenge: { type: "string" },
          stream: { type: "string" },
          connection_id: { type: "string" },
          changes_since: { type: "string" },
        },
      },
    },
  },
  streams: listOf({
    type: "object",
    required: ["object", "name", "record_count", "last_updated", "freshness"],
    properties: {
      object: { const: "stream" },
      name: { type: "string" },
      record_count: count,
      last_updated: { anyOf: [time, { type: "null" }] },
      freshness,
    },
  }),
  stream: {
    ...streamMetadata,
    required: [...streamMetadata.required, "schema", "query", "views", "relationships"],
  },
  records: { ...listOf(record, countMeta), required: ["object", "url", "has_more", "data"] },
  record,
  search: listOf(searchResult),
  semantic: listOf(foundBy("semantic")),
  hybrid: listOf(foundBy("hybrid")),
  protected_resource: {
    type: "object",
    required: [
      "resource",
      "resource_name",
      "authorization_servers",
      "bearer_methods_supported",
      "pdpp_core_query_base",
      "pdpp_provider_connect_version",
      "pdpp_self_export_supported",
      "pdpp_token_kinds_supported",
      "capabilities",
    ],
    properties: {
      pdpp_token_kinds_supported: { type: "array", items: { enum: ["owner", "client"] } },
      capabilities: {
        type: "object",
        required: ["lexical_retrieval", "semantic_retrieval", "hybrid_retrieval"],
        properties: {
          lexical_retrieval: retrieval({}),
          semantic_retrieval: retrieval(isExperimental),
          hybrid_retrieval: retrieval(isExperimental),
        },
      },
    },
  },
  schema: {
    type: "object",
    required: ["object", "bearer", "connectors"],
    properties: {
      object: { const: "schema" },
      bearer: {
        type: "object",
        required: ["scope", "token_kind"],
        additionalProperties: false,
        properties: {
          scope: { enum: ["owner", "grant"] },
          token_kind: { enum: ["owner", "client"] },
          client_id: { type: "string" },
          grant_id: { type: "string" },
        },
      },
      connectors: {
        type: "array",
        items: {
          type: "object",
          required: ["object", "connector_id", "source", "stream_count", "streams"],
          additionalProperties: false,
          properties: {
            object: { const: "connector" },
            connector_id: { type: "string" },
            source: { type: "object", required: ["kind", "id"] },
            stream_count: count,
            streams: { type: "array", items: streamMetadata },
          },
        },
      },
    },
  },
  aggregate: {
    type: "object",
    required: ["object", "metric", "stream", "filtered_record_count"],
    properties: {
      object: { const: "aggregation" },
      metric: { type: "string" },
      filtered_record_count: count,
      value: { type: ["number", "string", "null"] },
      groups: {
        type: "array",
        items: {
          type: "object",
          required: ["key", "count"],
          properties: { key: { type: ["string", "number", "boolean", "null"] }, count },
        },
      },
    },
  },
  window: {
    type: "object",
    required: ["stream", "record_id", "field", "window"],
    properties: {
      window: {
        type: "object",
        required: [
          "text",
          "total_chars",
          "has_more",
          "next_offset_chars",
          "previous_offset_chars",
          "complete",
        ],
        properties: {
          total_chars: count,
          has_more: { type: "boolean" },
          next_offset_chars: { type: ["integer", "null"] },
          previous_offset_chars: { type: ["integer", "null"] },
          match_start_chars: { type: ["integer", "null"] },
          match_end_chars: { type: ["integer", "null"] },
        },
      },
    },
  },
  error: {
    type: "object",
    required: ["error"],
    additionalProperties: false,
    properties: {
      error: {
        type: "object",
        required: ["type", "code", "message", "request_id"],
        properties: {
          type: { type: "string" },
          code: { type: "string" },
          message: { type: "string" },
          param: { type: "string" },
          request_id: { type: "string" },
        },
      },
    },
  },
};
