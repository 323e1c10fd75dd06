import assert from "node:assert/strict";
import { test } from "node:test";
import { operations, PDPP_VERSIONS } from "@rungs/contract";
import { countChars } from "@rungs/evidence";
import { type Json, LONG_TEXT, onEveryEngine } from "../../testing/world.ts";

onEveryEngine((world) => {
  test("every answer has a unique request id and the protocol version", async () => {
    const seen = new Set<string | null>();
    for (const path of [
      "/healthz",
      "/v1/schema",
      "/nowhere",
      "/v1/streams/shelves",
      "/v1/export",
      "/v1/search",
    ]) {
      const answer = await world().ask(path);
      assert.equal(answer.headers.get("PDPP-Version"), PDPP_VERSIONS[1], path);
      assert.match(answer.headers.get("Request-Id") ?? "", /^req_[\w-]{16}$/, path);
      seen.add(answer.headers.get("Request-Id"));
      await answer.text();
    }
    assert.equal(seen.size, 6);
  });

  test("an unsupported version is 400, and the answer lists the supported ones", async () => {
    const headers = { "PDPP-Version": "2020-01-01" };
    const { status, code, error } = await world().refusal("/v1/schema", undefined, { headers });
    assert.deepEqual(
      [status, code, error.supported_versions],
      [400, "unsupported_version", [...PDPP_VERSIONS]],
    );
    const spoken = { headers: { "PDPP-Version": PDPP_VERSIONS[0] } };
    assert.equal((await world().ask("/v1/schema", undefined, spoken)).status, 200);
  });

  test("unknown paths are 404, and other methods are 405 with Allow", async () => {
    for (const path of ["/v1", "/v1/nothing", "/v1/streams/notes/records/", "//v1/schema", "/v1/schema/"]) {
      const { status, code } = await world().refusal(path);
      assert.deepEqual([status, code], [404, "not_found"], path);
    }
    for (const [method, path, allow] of [
      ["POST", "/v1/schema", "GET"],
      ["PUT", "/v1/streams/notes/records/n1", "GET, DELETE"],
      ["GET", "/v1/connections/home/records", "POST"],
      ["DELETE", `/v1/blobs/x`, "GET, HEAD"],
      ["OPTIONS", "/v1/search", "GET"],
      ["PATCH", "/healthz", "GET"],
    ] as const) {
      const answer = await world().ask(path, undefined, { method });
      const { error } = (await answer.json()) as Json;
      assert.deepEqual(
        [answer.status, error.code, answer.headers.get("Allow")],
        [405, "method_not_allowed", allow],
        path,
      );
    }
    const head = await world().ask("/v1/streams/notes/records/n1", undefined, { method: "HEAD" });
    assert.deepEqual([head.status, head.headers.get("Allow")], [405, "GET, DELETE"]);
  });

  test("unknown parameters are refused on every operation", async () => {
    for (const { method, path } of Object.values(operations)) {
      if (method !== "GET") continue;
      const asked = path.replace(/\{stream\}/, "notes").replace(/\{\w+\}/g, "n1");
      const { status, code, error } = await world().refusal(`${asked}?surprise=1`);
      assert.deepEqual([status, code, error.param], [400, "invalid_request", "surprise"], path);
    }
  });

  test("an answer type that the caller does not accept is 406", async () => {
    const ask = async (path: string, accept: string) =>
      (await world().ask(path, undefined, { headers: { Accept: accept } })).status;
    for (const accept of [
      "application/json",
      "*/*",
      "text/html, application/*;q=0.5",
      "text/html,*/*;q=0.1",
      "",
    ]) {
      assert.equal(await ask("/v1/schema", accept), 200, accept);
    }
    for (const accept of ["text/html", "application/json;q=0", "application/x-ndjson"]) {
      assert.equal(await ask("/v1/schema", accept), 406, accept);
    }
    assert.equal(await ask("/v1/export", "application/x-ndjson"), 200);
    assert.equal(await ask("/v1/export", "application/json"), 406);
    assert.equal(await ask(`/v1/blobs/${world().blob.blob_id}`, "image/*"), 200);
  });

  test("a URL that is not percent-encoded UTF-8 is refused", async () => {
    for (const path of [
      "/v1/streams/notes/records/%",
      "/v1/streams/%E0%A4%A/records",
      "/v1/search?q=%FF",
      "/v1/search?q=%C3",
      "/v1/search?%zz=1",
    ]) {
      const { status, code } = await world().refusal(path);
      assert.deepEqual([status, code], [400, "invalid_request"], path);
    }
  });

  test("a URL or headers that are too large are 431", async () => {
    const long = "x".repeat(20_000);
    for (const [path, headers] of [
      [`/v1/search?q=${long}`, {}],
      [`/v1/streams/notes/records/${long}`, {}],
      ["/v1/schema", { "X-Long": long }],
    ] as const) {
      const { status, code } = await world().refusal(path, undefined, { headers });
      assert.deepEqual([status, code], [431, "header_too_large"]);
    }
  });

  test("a foreign Host or Origin is refused (DNS rebinding)", async () => {
    const refused = async (headers: Record<string, string>, path = "/v1/schema") =>
      (await world().refusal(path, undefined, { headers })).code;
    assert.equal(await refused({ Host: "evil.example" }), "host_not_allowed");
    assert.equal(await refused({ Host: "localhost.evil.example:7717" }), "host_not_allowed");
    assert.equal(await refused({ Host: "a b" }), "host_not_allowed");
    assert.equal(await refused({}, "http://evil.example/v1/schema"), "host_not_allowed");
    for (const origin of [
      "https://evil.example",
      "null",
      "http://localhost:3000",
      "http://127.0.0.1",
      "file://",
    ]) {
      assert.equal(await refused({ Host: "localhost:7717", Origin: origin }), "origin_not_allowed", origin);
    }
    for (const host of ["localhost", "LOCALHOST:7717", "127.0.0.1:7717", "[::1]:7717"]) {
      const headers = { Host: host, Origin: `http://${host.toLowerCase()}` };
      assert.equal((await world().ask("/v1/schema", undefined, { headers })).status, 200, host);
    }
  });

  test("healthz and readyz report whether the database answers; livez does not query it", async () => {
    assert.equal((await world().json("/healthz", "")).status, "ok");
    const { store } = world();
    const { listOwners } = store;
    store.listOwners = () => Promise.reject(Object.assign(new Error("connect"), { code: "ECONNREFUSED" }));
    const refusals = [await world().refusal("/healthz", ""), await world().refusal("/readyz", "")];
    const live = await world().json("/livez", "");
    store.listOwners = listOwners;
    for (const { status, code } of refusals) assert.deepEqual([status, code], [503, "database_unavailable"]);
    assert.equal(live.status, "ok", "a restart would not mend the database");
    assert.equal((await world().json("/readyz", "")).status, "ok");
  });

  test("the metadata names the resource, the token kinds and the capabilities", async () => {
    const found = await world().json("/.well-known/oauth-protected-resource", "");
    assert.equal(found.resource, "http://localhost");
    assert.deepEqual(found.pdpp_token_kinds_supported, ["owner", "client"]);
    assert.deepEqual(found.capabilities.lexical_retrieval, {
      supported: true,
      endpoint: "/v1/search",
      cross_stream: true,
      snippets: true,
      default_limit: 10,
      max_limit: 50,
    });
    const mcp = await world().json("/.well-known/oauth-protected-resource/mcp", "");
    assert.deepEqual([mcp.resource, mcp.pdpp_token_kinds_supported], ["http://localhost/mcp", ["client"]]);
  });

  test("schema shows exactly what the grant covers", async () => {
    const { streams } = await world().json("/v1/schema");
    assert.deepEqual(
      streams.map((each: Json) => [each.connection_id, each.stream, each.record_count]),
      [["home", "notes", 44]],
    );
    const [{ fields, time_range, display_name, label }] = streams;
    assert.deepEqual([display_name, label], ["Library at home", "Notes"]);
    assert.deepEqual(time_range, { first: "2026-01-01T00:00:00.000Z", last: "2026-03-01T00:00:00.000Z" });
    assert.deepEqual(
      fields.find(({ name }: Json) => name === "title"),
      {
        name: "title",
        type: "string",
        role: "primary-title",
        searchable: true,
        filterable: true,
        aggregatable: true,
      },
    );
    assert.deepEqual(
      fields.find(({ name }: Json) => name === "body"),
      {
        name: "body",
        type: "string",
        role: "body",
        media_type: "text/plain",
        searchable: true,
        largest_chars: countChars(LONG_TEXT),
      },
    );
    assert.equal(
      fields.some(({ name }: Json) => name === "secret"),
      false,
    );
  });

  test("R54 a stream's declaration names no field, view, definition or stream outside the grant", async () => {
    const { token } = await world().allow([
      { name: "notes", instance_ids: ["home"], fields: ["id", "title", "payload"] },
    ]);
    const stream = await world().json("/v1/streams/notes", token);
    assert.deepEqual(Object.keys(stream.schema.properties), ["id", "title", "payload"]);
    assert.deepEqual(Object.keys(stream.schema.$defs), ["payload"]);
    assert.deepEqual(stream.views, [{ id: "titles", fields: ["id", "title"] }]);
    assert.deepEqual(stream.relationships, []);
    assert.deepEqual(stream.query.search.lexical_fields, ["title", "payload"]);
    assert.doesNotMatch(JSON.stringify(stream), /secret|written_at|people|hidden/);
    const both = await world().allow([
      { name: "notes", instance_ids: ["home"] },
      { name: "shelves", instance_ids: ["home"] },
    ]);
    const whole = await world().json("/v1/streams/notes", both.token);
    assert.deepEqual(whole.relationships, [{ name: "shelf", stream: "shelves" }]);
  });
});
