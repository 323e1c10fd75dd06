/**
 * The requests to the servers of `hidden-twins.test.ts`: each operation of the contract with each of its parameters.
 */
import { createHash } from "node:crypto";
import { operations } from "@rungs/contract";
import { formatFieldPath } from "@rungs/evidence";
import type { z } from "zod";

export type RequestHeaders = Record<string, string> & { method?: string; body?: string };

export const MESSAGES = "/v1/streams/messages";
const IDS = ["a", "h1", "h2", "never-was"];
const WORDS = [
  "kiln",
  "oncology",
  "zebra1",
  "gloze",
  "kilm",
  "kil*",
  '"kiln kiln"',
  "roof glaze",
  "where is the kiln?",
];
const METRICS = ["count", "count_distinct", "min", "max", "sum", "avg"];
const BUCKETS = ["minute", "hour", "day", "week", "month", "quarter", "year"];
const encode = encodeURIComponent;

/** Each request with its headers. */
export const REQUESTS: readonly (readonly [path: string, headers?: RequestHeaders])[] = [
  ["/v1/streams"],
  ["/v1/streams?connection_id=mail"],
  ["/v1/connectors"],
  ["/v1/schema"],
  ["/v1/schema?stream=messages&connection_id=mail"],
  ["/v1/schema?stream=messages&after_stream=files&after_field=body"],
  [MESSAGES],
  [`${MESSAGES}?connection_id=mail`],
  ["/v1/streams/files"],
  ...["asc", "desc"].map((order) => [`${MESSAGES}/records?order=${order}&limit=1`] as const),
  ...["none", "exact"].map((count) => [`${MESSAGES}/records?count=${count}&connection_id=mail`] as const),
  ...["whole", "preview"].flatMap((view) => [
    [`${MESSAGES}/records?view=${view}`] as const,
    [`${MESSAGES}/query?view=${view}&order=asc&limit=1`] as const,
    [
      `${MESSAGES}/records/a?view=${view}&fields=subject,body&after_field=subject&connection_id=mail`,
    ] as const,
    [`${MESSAGES}/records/a/thread?view=${view}&connection_id=mail`] as const,
  ]),
  [`${MESSAGES}/records`],
  ["/v1/streams/files/records"],
  [`${MESSAGES}/records?fields=subject,code`],
  [`${MESSAGES}/query?filter=label=roof&order=desc&order_by=amount&connection_id=mail`],
  [`${MESSAGES}/query?filter=${encode("amount>=100")}&fields=subject`],
  [`${MESSAGES}/query?filter=code=out`],
  [`${MESSAGES}/query?order_by=code`],
  ...WORDS.flatMap((q) => [
    [`/v1/search?q=${encode(q)}`] as const,
    [`/v1/search?q=${encode(q)}&facets=true&limit=1`] as const,
    [`/v1/search?q=${encode(q)}&order=newest`] as const,
    [`/v1/search?q=${encode(q)}&order=relevance&folded=false&mode=lexical`] as const,
    [`/v1/search?q=${encode(q)}&mode=hybrid&stream=messages,files&connection_id=mail`] as const,
    [
      `/v1/search?q=${encode(q)}&filter=label=roof&since=2026-01-01T10:12:00Z&until=2026-01-01T10:40:00Z`,
    ] as const,
  ]),
  ["/v1/search?q=kiln&mode=semantic"],
  ["/v1/search?q=kiln&folded=true&facets=false"],
  ["/v1/search?q=kiln&filter=code=out"],
  ...IDS.flatMap((id) => [
    [`${MESSAGES}/records/${id}`] as const,
    [`${MESSAGES}/records/${id}`, { method: "HEAD" }] as const,
    [`${MESSAGES}/records/${id}`, { "If-None-Match": "*" }] as const,
    [`${MESSAGES}/records/${id}`, { method: "DELETE" }] as const,
    [`${MESSAGES}/records/${id}/thread?before=5&after=5`] as const,
    ...[
      "field_path=body&limit_chars=40&connection_id=mail",
      "field_path=body&offset_chars=15100&limit_chars=40",
      "field_path=body&q=kiln&before_chars=9&after_chars=9",
      `field_path=${encode(formatFieldPath(["body"]))}`,
      "field_path=code",
      "field_path=payload",
    ].map((asked) => [`${MESSAGES}/records/${id}/field-window?${asked}`] as const),
  ]),
  ["/v1/streams/files/records/f1"],
  ["/v1/streams/files/records/hf0"],
  ...METRICS.flatMap((metric) => [
    [`${MESSAGES}/aggregate?metric=${metric}&field=amount`] as const,
    [`${MESSAGES}/aggregate?metric=${metric}&field=sent_at`] as const,
    [`${MESSAGES}/aggregate?metric=${metric}&field=code`] as const,
  ]),
  ...[
    "metric=count",
    "metric=count&group_by=label&order=value&limit=1&connection_id=mail",
    "metric=count&group_by=amount&order=group&filter=label=roof",
    "metric=count&group_by=code",
    ...BUCKETS.map((bucket) => `metric=count&time_bucket=${bucket}&time_zone=Europe/Berlin`),
  ].map((asked) => [`${MESSAGES}/aggregate?${asked}`] as const),
  ["/v1/export"],
  ["/v1/export?stream=messages&connection_id=mail"],
  ["/v1/export?stream=messages&connection_id=mail", { method: "HEAD" }],
  ["/v1/export-links?stream=messages&connection_id=mail", { method: "POST" }],
  ["/v1/watch/messages?seconds=0&connection_id=mail"],
  ["/v1/event-subscriptions"],
  [
    "/v1/event-subscriptions",
    {
      method: "POST",
      "Content-Type": "application/json",
      body: JSON.stringify({ callback_url: "http://127.0.0.1:9/", filters: { streams: ["messages"] } }),
    },
  ],
  ["/v1/event-subscriptions"],
  ...["GET", "PATCH", "DELETE"].map((method) => ["/v1/event-subscriptions/never-was", { method }] as const),
  ["/v1/event-subscriptions/never-was/test-event", { method: "POST" }],
  // Forbidden operations, on existing and missing records.
  ["/v1/connections/mail/records", { method: "POST" }],
  ["/v1/ingest/messages?connector_id=x", { method: "POST" }],
  ["/v1/state/x"],
  ["/v1/state/x", { method: "PUT", body: "{}" }],
  ["/v1/blobs?record_key=h1", { method: "POST" }],
  ["/connectors", { method: "POST" }],
  ...["/", "/healthz", "/livez", "/readyz", "/openapi.json", "/.well-known/oauth-protected-resource"].map(
    (path) => [path] as const,
  ),
];

/** Each tool of MCP with each of its arguments. */
export const TOOL_CALLS: readonly (readonly [name: string, args: Record<string, unknown>])[] = [
  ["search", { query: "kiln" }],
  ["search", { query: "oncology zebra1" }],
  ["fetch", { id: "mail/messages:a" }],
  ["fetch", { id: "mail/messages:h1" }],
  ["schema", {}],
  ["query_records", { stream: "messages" }],
  [
    "search",
    { query: "kiln", stream: "messages", connection_id: "mail", since: "2026-01-01", until: "2027-01-01" },
  ],
  ["search", { query: "kiln", filter: ["label=roof"], order: "newest", folded: false, limit: 1 }],
  [
    "fetch",
    { id: "mail/messages:a", connection_id: "mail", fields: ["subject", "body"], after_field: "body" },
  ],
  [
    "query_records",
    { stream: "messages", connection_id: "mail", filter: ["label=roof"], fields: ["subject"] },
  ],
  ["query_records", { stream: "messages", order: "asc", order_by: "amount", limit: 1 }],
  ["aggregate", { stream: "messages", connection_id: "mail", metric: "count", group_by: "label", limit: 1 }],
  [
    "aggregate",
    { stream: "messages", metric: "sum", field: "amount", filter: ["label=roof"], time_bucket: "day" },
  ],
  ["schema", { stream: "messages", connection_id: "mail" }],
  ["schema", { stream: "messages", after_stream: "files", after_field: "body" }],
  ["read_thread", { id: "mail/messages:b", before: 1, after: 9 }],
  ["read_record_field", { id: "mail/messages:h1", field_path: "body" }],
  [
    "read_record_field",
    { connection_id: "mail", stream: "messages", record_id: "a", field_path: "body", limit_chars: 40 },
  ],
  ["read_record_field", { id: "mail/messages:a", field_path: "body", offset_chars: 15_100 }],
  [
    "read_record_field",
    { id: "mail/messages:a", field_path: "body", q: "kiln", before_chars: 9, after_chars: 9 },
  ],
  ...["bytes of a shown file", "bytes of a hidden file"].flatMap((text) => {
    const blob_id = createHash("sha256").update(text).digest("hex");
    return [
      ["read_blob", { blob_id }] as const,
      ["read_blob", { blob_id, as: "text", offset_bytes: 3, limit_bytes: 5 }] as const,
    ];
  }),
  ["export_link", { stream: "messages", connection_id: "mail" }],
];

/** The operations, parameters and enumeration values that no request (`METHOD /path {headers}`) covers. */
export function listUnasked(requests: readonly string[]): string[] {
  const asked = requests
    .filter((request) => /^[A-Z]+ \//.test(request))
    .map((request) => {
      const [method = "", path = "", ...headers] = request.split(" ");
      const url = new URL(path, "http://localhost");
      return { method, url, headers: JSON.parse(headers.join(" ")) as Record<string, string> };
    });
  return Object.values(operations).flatMap(({ name, method, path, input, kind }) => {
    const route = new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    const own = asked.filter((each) => each.method === method && route.test(each.url.pathname));
    if (own.length === 0) return [name];
    // Owners and writers use other tokens.
    if (kind === "owner" || kind === "writer") return [];
    return Object.entries(input.shape).flatMap(([parameter, schema]) => {
      if (path.includes(`{${parameter}}`)) return [];
      const given = own.flatMap(({ url, headers }) => [
        ...url.searchParams.getAll(parameter),
        ...Object.entries(headers).flatMap(([each, value]) =>
          each.toLowerCase() === parameter ? [value] : [],
        ),
      ]);
      const values = listValues(schema).filter((value) => !given.includes(value));
      return given.length === 0
        ? [`${name} ${parameter}`]
        : values.map((value) => `${name} ${parameter}=${value}`);
    });
  });
}

/** The values of an enumeration, or of a boolean. */
function listValues(schema: z.ZodType): string[] {
  const inner = "unwrap" in schema ? (schema as z.ZodOptional).unwrap() : schema;
  return "options" in inner ? (inner.options as string[]).filter((each) => typeof each === "string") : [];
}
