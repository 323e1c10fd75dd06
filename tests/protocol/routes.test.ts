/** Every route of the OpenAPI document has a schema here, and its answer validates against it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, onEveryEngine, type World } from "../../testing/world.ts";
import { createSpecificationClient } from "./client.ts";

type Shape = Parameters<ReturnType<typeof createSpecificationClient>["get"]>[0];

/** A call of a route and the form of its answer: a JSON document, one on each line, bytes, or nothing. */
interface Route {
  readonly path: string;
  readonly by: "client" | "owner";
  readonly body?: string;
  readonly type?: string;
  readonly shape?: Shape;
  readonly lines?: Shape;
  readonly status?: number;
}

const NOTES = "/v1/streams/notes";
const NOTE = `${NOTES}/records/n1`;
const SUBSCRIPTIONS = "/v1/event-subscriptions";
const AT = "connection_id=home";
const LINE = '{"key":"r1","data":{"id":"r1"},"emitted_at":"2026-05-01T00:00:00Z"}';
const NDJSON = "application/x-ndjson";
const JSON_TYPE = "application/json";

const DECLARATION = JSON.stringify({
  protocol_version: "0.1.0",
  source: { kind: "connector", id: "https://rungs.example/connectors/days" },
  declaration_version: "1",
  streams: [
    {
      name: "days",
      semantics: "mutable_state",
      primary_key: ["id"],
      schema: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
    },
  ],
});

const read = (path: string, shape: Shape): Route => ({ path, shape, by: "client" });
const write = (path: string, body: string, type: string, shape: Shape, status = 200): Route => ({
  path,
  body,
  type,
  shape,
  status,
  by: "owner",
});

/** By method and path, as in the document. */
const listRoutes = ({ blob }: World, subscription: string): Record<string, Route> => ({
  "GET /": read("/", "index"),
  "GET /healthz": read("/healthz", "healthz"),
  "GET /livez": read("/livez", "livez"),
  "GET /readyz": read("/readyz", "readyz"),
  "GET /openapi.json": read("/openapi.json", "openapi"),
  "GET /.well-known/oauth-protected-resource": read(
    "/.well-known/oauth-protected-resource",
    "protected_resource",
  ),
  "GET /v1/schema": read("/v1/schema", "schema"),
  "GET /v1/search": read("/v1/search?q=tea", "search"),
  "GET /v1/connectors": read("/v1/connectors", "connectors"),
  "GET /v1/streams": read("/v1/streams", "streams"),
  "GET /v1/streams/{stream}": read(`${NOTES}?${AT}`, "stream"),
  "GET /v1/streams/{stream}/records": read(`${NOTES}/records?${AT}`, "records"),
  "GET /v1/streams/{stream}/records/{id}": read(NOTE, "record"),
  "DELETE /v1/streams/{stream}/records/{id}": { path: `${NOTES}/records/n9?${AT}`, by: "owner", status: 204 },
  "GET /v1/streams/{stream}/records/{id}/field-window": read(`${NOTE}/field-window?field=body`, "window"),
  "GET /v1/streams/{stream}/records/{id}/thread": read(`${NOTE}/thread`, "thread"),
  "GET /v1/streams/{stream}/query": read(`${NOTES}/query`, "query"),
  "GET /v1/streams/{stream}/aggregate": read(`${NOTES}/aggregate?metric=count`, "aggregate"),
  "GET /v1/blobs/{blob_id}": { path: `/v1/blobs/${blob.blob_id}`, by: "client" },
  "HEAD /v1/blobs/{blob_id}": { path: `/v1/blobs/${blob.blob_id}`, by: "client" },
  "POST /v1/export-links": read("/v1/export-links", "export_link"),
  "GET /v1/watch/{stream}": { path: "/v1/watch/notes?seconds=0", by: "client", lines: "watch_line" },
  "GET /v1/export": { path: "/v1/export", by: "client", lines: "export_line" },
  "POST /v1/connections/{connection_id}/records": write(
    "/v1/connections/home/records",
    LINE.replace("{", '{"stream":"notes",'),
    NDJSON,
    "import",
  ),
  "POST /v1/ingest/{stream}": write(`/v1/ingest/notes?${AT}`, LINE, NDJSON, "ingest"),
  "GET /v1/state/{connector_id}": { path: "/v1/state/home", by: "owner", shape: "state" },
  "PUT /v1/state/{connector_id}": write("/v1/state/home", '{"state":{}}', JSON_TYPE, "state"),
  "POST /v1/blobs": write(`/v1/blobs?${AT}`, "bytes", "image/png", "blob"),
  "POST /connectors": write("/connectors", DECLARATION, JSON_TYPE, "connector"),
  [`GET ${SUBSCRIPTIONS}`]: read(SUBSCRIPTIONS, "subscriptions"),
  [`POST ${SUBSCRIPTIONS}`]: {
    ...write(
      SUBSCRIPTIONS,
      '{"callback_url":"http://127.0.0.1:9/x"}',
      JSON_TYPE,
      "subscription_created",
      201,
    ),
    by: "client",
  },
  [`GET ${SUBSCRIPTIONS}/{subscription_id}`]: read(subscription, "subscription"),
  [`PATCH ${SUBSCRIPTIONS}/{subscription_id}`]: write(
    subscription,
    '{"enabled":true}',
    JSON_TYPE,
    "subscription_updated",
  ),
  [`POST ${SUBSCRIPTIONS}/{subscription_id}/test-event`]: {
    ...read(`${subscription}/test-event`, "test_event"),
    status: 202,
  },
  [`DELETE ${SUBSCRIPTIONS}/{subscription_id}`]: { path: subscription, by: "owner", status: 204 },
});

onEveryEngine((world) => {
  test("R85 the answers and refusals of every route of the OpenAPI document validate against a schema", async () => {
    const send = async (path: string, init: RequestInit) => world().app.request(path, init);
    const client = createSpecificationClient(send, world().client);
    const made = await client.send("subscription_created", SUBSCRIPTIONS, {
      method: "POST",
      body: '{"callback_url":"http://127.0.0.1:9/hook"}',
      headers: { "Content-Type": JSON_TYPE },
    });
    const routes = listRoutes(world(), `${SUBSCRIPTIONS}/${made.subscription_id}`);
    const { paths } = await client.get("openapi", "/openapi.json");
    const documented = Object.entries<Json>(paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => /^(?:get|head|put|post|patch|delete)$/.test(method))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(Object.keys(routes).toSorted(), documented.toSorted());
    for (const [name, route] of Object.entries(routes)) {
      const method = name.split(" ")[0] as string;
      const token = route.by === "owner" ? world().owner : world().client;
      const headers = {
        Authorization: `Bearer ${token}`,
        ...(route.type === undefined ? {} : { "Content-Type": route.type }),
      };
      const answer = await send(route.path, {
        method,
        headers,
        ...(route.body === undefined ? {} : { body: route.body }),
      });
      assert.equal(answer.status, route.status ?? 200, `${name} ${await answer.clone().text()}`);
      assert.ok(answer.headers.get("Request-Id"), name);
      assert.equal(answer.headers.get("PDPP-Version"), "2026-04-06", name);
      const text = await answer.text();
      if (route.shape) client.validate(route.shape, JSON.parse(text));
      else if (route.lines) {
        const lines = text.split("\n").filter((line) => line !== "");
        assert.ok(lines.length > 0, name);
        for (const line of lines) client.validate(route.lines, JSON.parse(line));
      } else assert.equal(text === "", method !== "GET", name);

      const refused = await send(route.path, {
        method,
        headers: { ...headers, "PDPP-Version": "1999-01-01" },
      });
      assert.equal(refused.status, 400, name);
      if (method !== "HEAD") client.validate("error", await refused.json());
    }
  });
});
