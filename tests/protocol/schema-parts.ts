/** Shapes shared by several answers of the specification. */

export const time = { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT.+Z$" };
export const count = { type: "integer", minimum: 0 };

export const freshness = {
  type: "object",
  required: ["status"],
  additionalProperties: false,
  properties: {
    captured_at: { anyOf: [time, { type: "null" }] },
    status: { enum: ["current", "stale", "unknown"] },
    last_attempted_at: { anyOf: [time, { type: "null" }] },
  },
};

export const record = {
  type: "object",
  required: ["object", "id", "stream", "emitted_at"],
  properties: {
    object: { const: "record" },
    id: { type: "string" },
    stream: { type: "string" },
    data: { type: "object" },
    emitted_at: time,
    deleted: { type: "boolean" },
    deleted_at: time,
  },
};

const ability = {
  type: "object",
  required: ["declared", "usable"],
  additionalProperties: false,
  properties: {
    declared: { type: "boolean" },
    usable: { type: "boolean" },
    reason: { type: "string" },
    operators: { type: "array" },
  },
};

const metrics = ["count_distinct", "group_by", "group_by_time", "max", "min", "sum"];

const fieldCapability = {
  type: "object",
  required: ["granted", "schema", "lexical_search", "semantic_search", "aggregation"],
  additionalProperties: false,
  properties: {
    type: { type: "string" },
    role: { type: "string" },
    granted: { const: true },
    schema: { type: ["object", "boolean"] },
    exact_filter: ability,
    range_filter: ability,
    lexical_search: ability,
    semantic_search: ability,
    aggregation: {
      type: "object",
      required: metrics,
      additionalProperties: false,
      properties: Object.fromEntries(metrics.map((metric) => [metric, ability])),
    },
  },
};

export const streamMetadata = {
  type: "object",
  required: ["object", "name", "primary_key", "field_capabilities", "expand_capabilities", "freshness"],
  properties: {
    object: { const: "stream_metadata" },
    name: { type: "string" },
    primary_key: { type: "array", items: { type: "string" } },
    freshness,
    field_capabilities: { type: "object", additionalProperties: fieldCapability },
    expand_capabilities: { type: "array" },
    query: {
      type: "object",
      properties: {
        range_filters: {
          type: "object",
          additionalProperties: { type: "array", items: { enum: ["gte", "gt", "lte", "lt"] } },
        },
      },
    },
  },
};

export const countMeta = {
  type: "object",
  properties: {
    count: {
      type: "object",
      required: ["kind"],
      additionalProperties: false,
      properties: { kind: { enum: ["none", "estimated", "exact"] }, value: count },
    },
  },
};

export function listOf(item: object, meta: object = {}) {
  return {
    type: "object",
    required: ["object", "data"],
    properties: {
      object: { const: "list" },
      url: { type: "string" },
      data: { type: "array", items: item },
      has_more: { type: "boolean" },
      next_cursor: { type: "string" },
      next_changes_since: { type: "string" },
      freshness,
      meta,
    },
  };
}

export const searchResult = {
  type: "object",
  required: ["object", "stream", "record_key", "connector_id", "emitted_at", "matched_fields"],
  properties: {
    object: { const: "search_result" },
    record_key: { type: "string" },
    connector_id: { type: "string" },
    emitted_at: time,
    matched_fields: { type: "array", items: { type: "string" } },
    record_url: { type: "string" },
    snippet: {
      type: "object",
      required: ["field", "text"],
      additionalProperties: false,
      properties: { field: { type: "string" }, text: { type: "string" } },
    },
    evidence_excerpts: {
      type: "array",
      items: {
        type: "object",
        required: ["field_path", "preview_text", "truncated"],
        properties: { preview_text: { type: "string" }, truncated: { type: "boolean" } },
      },
    },
  },
};

/** A hit that says how it was found. */
export function foundBy(mode: "semantic" | "hybrid") {
  return {
    ...searchResult,
    required: [...searchResult.required, "retrieval_mode", "retrieval_sources"],
    properties: {
      ...searchResult.properties,
      retrieval_mode: { const: mode },
      retrieval_sources: { type: "array", minItems: 1, items: { enum: ["lexical", "semantic"] } },
    },
  };
}

export const status = {
  enum: ["pending_verification", "active", "disabled", "disabled_failure", "disabled_revoked", "deleted"],
};

export const subscription = {
  type: "object",
  required: [
    "subscription_id",
    "grant_id",
    "client_id",
    "callback_url",
    "status",
    "scope",
    "created_at",
    "updated_at",
    "disabled_reason",
  ],
  additionalProperties: false,
  properties: {
    subscription_id: { type: "string", minLength: 1 },
    grant_id: { type: "string", minLength: 1 },
    client_id: { type: "string", minLength: 1 },
    callback_url: { type: "string" },
    status,
    disabled_reason: { type: ["string", "null"] },
    created_at: time,
    updated_at: time,
    scope: {
      type: "object",
      required: ["streams"],
      additionalProperties: false,
      properties: {
        streams: {
          type: "array",
          items: {
            type: "object",
            required: ["name"],
            additionalProperties: false,
            properties: { name: { type: "string" }, connection_id: { type: "string" } },
          },
        },
        filters: {
          type: "object",
          additionalProperties: false,
          properties: { streams: { type: "array", items: { type: "string" } } },
        },
      },
    },
  },
};
export const secret = { type: "string", pattern: "^whsec_[A-Za-z0-9+/]+=*$" };

export const retrieval = (stability: object) => ({
  type: "object",
  required: ["supported", "endpoint", "cross_stream", "snippets", "default_limit", "max_limit"],
  properties: { supported: { const: true }, endpoint: { type: "string" }, ...stability },
});
export const isExperimental = { stability: { const: "experimental" } };
