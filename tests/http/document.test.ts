/** Calls every documented operation and validates the answers against the document. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { library } from "../../testing/library.ts";
import { type Json, onEveryEngine, type World } from "../../testing/world.ts";

interface Example {
  readonly method?: string;
  readonly path: string;
  readonly owner?: boolean;
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** A call of an operation with only its path parameters, for operations missing from `listExamples`. */
function createDefaultExample({
  path,
  operationId,
}: {
  path: string;
  operationId: string;
}): [string, Example[]] {
  const values: Record<string, string> = { stream: "notes", id: "n1", connection_id: "home" };
  return [
    operationId,
    [{ path: path.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole) }],
  ];
}

/** Calls with query parameters, headers or bodies, so that each form of answer occurs. */
function listExamples(
  { blob, owner_id: _ }: World,
  { subscription_id, ended_id }: { subscription_id: string; ended_id: string },
): Record<string, Example[]> {
  const note = "/v1/streams/notes/records";
  return {
    schema: [
      { path: "/v1/schema" },
      { path: "/v1/schema?stream=notes&connection_id=home" },
      { path: "/v1/schema", owner: true },
    ],
    search: [
      { path: "/v1/search?q=tea" },
      { path: "/v1/search?q=nowhere" },
      { path: "/v1/search?q=tea&limit=900" },
    ],
    fetch: [
      { path: `${note}/n1` },
      { path: `${note}/long` },
      { path: `${note}/json` },
      { path: `${note}/picture` },
      { path: `${note}/raw` },
    ],
    read_record_field: [
      { path: `${note}/long/field-window?field=body` },
      { path: `${note}/long/field-window?field=body&q=line` },
      { path: `${note}/n1/field-window?field=rating` },
    ],
    read_thread: [{ path: `${note}/n14/thread` }, { path: `${note}/n1/thread?before=0&after=50` }],
    query_records: [{ path: "/v1/streams/notes/query?filter=rating%3D1&limit=500" }],
    aggregate: [
      { path: "/v1/streams/notes/aggregate?metric=count" },
      { path: "/v1/streams/notes/aggregate?metric=max&field=rating&group_by=done" },
      { path: "/v1/streams/notes/aggregate?metric=count&time_bucket=day&limit=2" },
    ],
    read_blob: [
      { path: `/v1/blobs/${blob.blob_id}` },
      { path: `/v1/blobs/${blob.blob_id}`, headers: { Range: "bytes=1-2" }, status: 206 },
    ],
    read_blob_head: [{ method: "HEAD", path: `/v1/blobs/${blob.blob_id}` }],
    list_streams: [{ path: "/v1/streams" }, { path: "/v1/streams?connection_id=home" }],
    get_stream: [
      { path: "/v1/streams/notes" },
      { path: "/v1/streams/shelves?connection_id=work", owner: true },
    ],
    watch: [{ path: "/v1/watch/notes?seconds=0" }],
    list_records: [{ path: note }, { path: `${note}?limit=1000&order=asc` }],
    export: [{ path: "/v1/export" }, { path: "/v1/export", owner: true }],
    export_link: [{ method: "POST", path: "/v1/export-links" }],
    ingest: [
      {
        method: "POST",
        path: "/v1/connections/home/records",
        owner: true,
        headers: { "Content-Type": "application/x-ndjson" },
        body: 'nothing\n{"stream":"notes","key":"d","data":{"id":"d"},"emitted_at":"2026-05-01T00:00:00Z"}',
      },
    ],
    ingest_stream: [
      {
        method: "POST",
        path: "/v1/ingest/notes?connection_id=home",
        owner: true,
        headers: { "Content-Type": "application/x-ndjson" },
        body: '{"key":"e","data":{"id":"e"},"emitted_at":"2026-05-01T00:00:00Z"}',
      },
    ],
    get_state: [{ path: "/v1/state/home", owner: true }],
    put_state: [
      {
        method: "PUT",
        path: "/v1/state/home",
        owner: true,
        headers: { "Content-Type": "application/json" },
        body: '{"state":{"notes":{}}}',
      },
    ],
    put_blob: [
      {
        method: "POST",
        path: "/v1/blobs?connection_id=home",
        owner: true,
        headers: { "Content-Type": "image/png" },
        body: "bytes",
      },
    ],
    put_connector: [
      {
        method: "POST",
        path: "/connectors?connection_id=home",
        owner: true,
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(library),
      },
    ],
    delete_record: [{ method: "DELETE", path: `${note}/marks?connection_id=home`, owner: true, status: 204 }],
    list_event_subscriptions: [{ path: "/v1/event-subscriptions" }],
    create_event_subscription: [
      {
        method: "POST",
        path: "/v1/event-subscriptions",
        headers: { "Content-Type": "application/json" },
        body: '{"callback_url":"http://127.0.0.1:9/events"}',
        status: 201,
      },
    ],
    get_event_subscription: [{ path: `/v1/event-subscriptions/${subscription_id}` }],
    update_event_subscription: [
      {
        method: "PATCH",
        path: `/v1/event-subscriptions/${subscription_id}`,
        headers: { "Content-Type": "application/json" },
        body: '{"rotate_secret":true}',
      },
    ],
    send_test_event: [
      { method: "POST", path: `/v1/event-subscriptions/${subscription_id}/test-event`, status: 202 },
    ],
    delete_event_subscription: [
      { method: "DELETE", path: `/v1/event-subscriptions/${ended_id}`, status: 204 },
    ],
    healthz: [{ path: "/healthz" }],
    livez: [{ path: "/livez" }],
    readyz: [{ path: "/readyz" }],
    openapi: [{ path: "/openapi.json" }],
    protected_resource: [{ path: "/.well-known/oauth-protected-resource" }],
  };
}

async function subscribe(world: World): Promise<string> {
  const answer = await world.ask("/v1/event-subscriptions", undefined, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: '{"callback_url":"http://127.0.0.1:9/events"}',
  });
  return ((await answer.json()) as Json).subscription_id;
}

onEveryEngine((world) => {
  test("every documented operation answers as documented", async () => {
    const document = await world().json("/openapi.json", "");
    const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, "document");
    const compiled = new Map<string, ValidateFunction>();
    const validate = (pointer: string, value: unknown, about: string) => {
      const check = compiled.get(pointer) ?? ajv.compile({ $ref: `document${pointer}` });
      compiled.set(pointer, check);
      assert.ok(check(value), `${about}: ${ajv.errorsText(check.errors)}`);
    };
    const documented = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, { operationId, responses }]) => ({
        path,
        method,
        operationId,
        responses,
      })),
    );
    const defaults = documented.filter(({ method }) => method === "get").map(createDefaultExample);
    const subscriptions = {
      subscription_id: await subscribe(world()),
      ended_id: await subscribe(world()),
    };
    const examples = { ...Object.fromEntries(defaults), ...listExamples(world(), subscriptions) };
    assert.deepEqual(documented.map(({ operationId }) => operationId).sort(), Object.keys(examples).sort());

    for (const { path, method, operationId, responses } of documented) {
      for (const example of examples[operationId] ?? []) {
        const { status = 200, owner, headers, body } = example;
        const init = { method: example.method ?? "GET", headers, body } as RequestInit;
        assert.equal(init.method, method.toUpperCase());
        const answer = await world().ask(example.path, owner ? world().owner : undefined, init);
        assert.equal(answer.status, status, `${operationId}: ${example.path}`);
        const [type] = Object.keys(responses[status].content ?? {});
        const at = `#/paths/${path.replaceAll("~", "~0").replaceAll("/", "~1")}/${method}/responses/${status}/content`;
        const text = await answer.text();
        if (type === "application/json") {
          validate(`${encodeURI(at)}/application~1json/schema`, JSON.parse(text), example.path);
        }
        if (type === "application/x-ndjson") {
          for (const line of text.trim().split("\n"))
            validate(`${encodeURI(at)}/application~1x-ndjson/schema`, JSON.parse(line), example.path);
        }
        assert.ok(answer.headers.has("PDPP-Version") && answer.headers.has("Request-Id"));
      }
    }
  });

  test("every error has the documented body and a status that its operation documents", async () => {
    const document = await world().json("/openapi.json", "");
    const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, "document");
    const isError = ajv.compile({ $ref: "document#/components/schemas/Error" });
    for (const [path, template] of [
      ["/v1/streams/notes/records/nowhere", "/v1/streams/{stream}/records/{id}"],
      ["/v1/streams/shelves/records", "/v1/streams/{stream}/records"],
      ["/v1/search?q=...", "/v1/search"],
      ["/v1/search?q=a&cursor=x", "/v1/search"],
      [
        "/v1/streams/notes/records/raw/field-window?field=raw",
        "/v1/streams/{stream}/records/{id}/field-window",
      ],
      [
        "/v1/streams/notes/records/n1/field-window?field=body&q=absent",
        "/v1/streams/{stream}/records/{id}/field-window",
      ],
      [
        "/v1/streams/notes/records/n1/field-window?field=a..b",
        "/v1/streams/{stream}/records/{id}/field-window",
      ],
      [`/v1/blobs/${world().blob.blob_id}x`, "/v1/blobs/{blob_id}"],
      ["/v1/streams/notes/aggregate?metric=sum&field=secret", "/v1/streams/{stream}/aggregate"],
    ] as const) {
      const { status, code, error } = await world().refusal(path);
      assert.ok(isError({ error }), path);
      const { description } = document.paths[template].get.responses[status];
      assert.ok(description.split(", ").includes(code), `${path}: ${code} is not among ${description}`);
    }
  });
});
