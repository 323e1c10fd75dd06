/** A connector's runtime writes records, state and files with a token that can read nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "@rungs/contract";
import { createWriteToken, deleteData } from "@rungs/server";
import { connectorManifest } from "../../testing/connector/manifest.ts";
import { type Json, onEveryEngine } from "../../testing/world.ts";
import { createSpecificationClient } from "./client.ts";

const LIBRARY = "https://rungs.example/connectors/library";
const emitted_at = "2026-06-01T00:00:00Z";
const NDJSON = { "Content-Type": "application/x-ndjson" };
const JSON_TYPE = { "Content-Type": "application/json" };

const line = (key: string, more: Record<string, unknown> = {}) =>
  JSON.stringify({ key, emitted_at, data: { id: key, title: "written", body: `collected ${key}` }, ...more });

/** The form of each answer, by path prefix. */
const SHAPES = [
  ["/v1/ingest/", "ingest"],
  ["/v1/state/", "state"],
  ["/v1/blobs", "blob"],
  ["/connectors", "connector"],
] as const;

const DECLARATION = {
  protocol_version: "0.1.0",
  source: { kind: "connector", id: "https://rungs.example/connectors/steps" },
  declaration_version: "1",
  display: { name: "Steps" },
  streams: [
    {
      name: "days",
      semantics: "mutable_state",
      primary_key: ["id"],
      schema: {
        type: "object",
        required: ["id"],
        properties: { id: { type: "string" }, file: { type: "object" } },
      },
    },
  ],
};

onEveryEngine((world) => {
  const owner = () => ({ store: world().store, owner_id: world().owner_id, now: () => world().clock.now });
  // The store deletes tokens that ended a month before the real time.
  const allowWriting = (connection_id: string) =>
    createWriteToken(owner(), connection_id, Date.UTC(2100, 0, 1));
  const writer = () => allowWriting("home");
  const send = (path: string, token: string, method: string, body?: string | Buffer, headers = {}) =>
    world().ask(path, token, { method, body, headers } as RequestInit);
  const ask = async (...args: Parameters<typeof send>): Promise<Json> => {
    const answer = await send(...args);
    const body = (await answer.json()) as Json;
    assert.equal(answer.status, 200, `${args[0]} ${JSON.stringify(body)}`);
    const shape = SHAPES.find(([path]) => args[0].startsWith(path))?.[1];
    if (shape) createSpecificationClient(world().app.request as never, "").validate(shape, body);
    return body;
  };

  test("R85 records of a stream are ingested line by line, by connector or connection name, idempotently", async () => {
    const token = await writer();
    const body = `${line("w1", { type: "RECORD" })}\n${line("w2", { stream: "notes" })}\nnonsense\n${line("w3", { stream: "shelves" })}`;
    const counts = { stream: "notes", connection_id: "home", records_accepted: 2, records_rejected: 2 };
    const first = await ask(
      `/v1/ingest/notes?connector_id=${encodeURIComponent(LIBRARY)}`,
      token,
      "POST",
      body,
      NDJSON,
    );
    assert.deepEqual({ ...counts, added: 2 }, pick(first, [...Object.keys(counts), "added"]));
    assert.deepEqual(
      first.rejections.map(({ line: at, param }: Json) => [at, param]),
      [
        [3, undefined],
        [4, "stream"],
      ],
    );
    const again = await ask("/v1/ingest/notes", token, "POST", body, NDJSON);
    assert.deepEqual([again.records_accepted, again.unchanged], [2, 2]);
    assert.equal(
      (await world().json("/v1/streams/notes/records/w1", world().owner)).data.body,
      "collected w1",
    );
    const removed = await ask(
      "/v1/ingest/notes",
      token,
      "POST",
      `{"key":"w1","op":"delete","emitted_at":"${emitted_at}"}`,
      NDJSON,
    );
    assert.equal(removed.deleted, 1);
  });

  test("R54 a write-only token reads no record, stream, count or file, and writes only to its connection", async () => {
    const token = await writer();
    for (const { name, method, path, kind } of Object.values(operations)) {
      if (kind === "public" || kind === "writer") continue;
      const address = path
        .replace("{stream}", "notes")
        .replace("{connection_id}", "home")
        .replace(/\{\w+\}/g, "n1");
      const { status, code } = await world().refusal(address, token, { method });
      assert.deepEqual([status, code], [403, "write_only_token"], name);
    }
    for (const path of ["/v1/ingest/notes?connection_id=work", "/v1/ingest/notes?connector_id=nowhere"]) {
      const { code } = await world().refusal(path, token, {
        method: "POST",
        headers: NDJSON,
        body: line("x"),
      });
      assert.equal(code, "connection_not_found", path);
    }
    const { code } = await world().refusal("/v1/ingest/nothing", token, {
      method: "POST",
      headers: NDJSON,
      body: line("x"),
    });
    assert.equal(code, "grant_stream_not_allowed");
  });

  test("R50 a client's token writes nothing, and the owner must name one of a connector's several connections", async () => {
    const { code } = await world().refusal("/v1/ingest/notes", undefined, {
      method: "POST",
      headers: NDJSON,
      body: line("x"),
    });
    assert.equal(code, "owner_token_required");
    const path = `/v1/ingest/notes?connector_id=${encodeURIComponent(LIBRARY)}`;
    const refused = await world().refusal(path, world().owner, {
      method: "POST",
      headers: NDJSON,
      body: line("x"),
    });
    assert.deepEqual([refused.status, refused.code], [409, "ambiguous_connection"]);
    const named = await ask(`${path}&connector_instance_id=work`, world().owner, "POST", line("o1"), NDJSON);
    assert.equal(named.connection_id, "work");
  });

  test("R85 a connector keeps its own state, also by grant, and sees no other's", async () => {
    const token = await writer();
    const path = `/v1/state/${encodeURIComponent(LIBRARY)}`;
    assert.deepEqual(pick(await ask(path, token, "GET"), ["state", "updated_at"]), {
      state: {},
      updated_at: null,
    });
    const state = { notes: { cursor: "漢字 5" } };
    assert.deepEqual((await ask(path, token, "PUT", JSON.stringify({ state }), JSON_TYPE)).state, state);
    await ask(`${path}?grant_id=g1`, token, "PUT", JSON.stringify({ state: { notes: 1 } }), JSON_TYPE);
    assert.deepEqual((await ask(path, token, "GET")).state, state);
    assert.deepEqual((await ask(`${path}?grant_id=g1`, token, "GET")).state, { notes: 1 });
    const other = await allowWriting("work");
    assert.deepEqual((await ask("/v1/state/work", other, "GET")).state, {});
    assert.equal((await world().refusal("/v1/state/home", other)).code, "connection_not_found");
    for (const [body, headers, expected] of [
      ["{", JSON_TYPE, "invalid_request"],
      ['{"state":[]}', JSON_TYPE, "invalid_request"],
      ["{}", NDJSON, "unsupported_media_type"],
      [JSON.stringify({ state: { a: "x".repeat(1_100_000) } }), JSON_TYPE, "request_too_large"],
    ] as const)
      assert.equal((await world().refusal(path, token, { method: "PUT", body, headers })).code, expected);
  });

  test("R70 R85 a declared source gets a connection, a file, and a record that refers to the file", async () => {
    const declared = await ask("/connectors", world().owner, "POST", JSON.stringify(DECLARATION), JSON_TYPE);
    assert.deepEqual(pick(declared, ["connector_id", "connection_id", "stream_count"]), {
      connector_id: DECLARATION.source.id,
      connection_id: "steps",
      stream_count: 1,
    });
    const token = await allowWriting("steps");
    const bytes = Buffer.from("png bytes 漢字");
    const blob = await ask("/v1/blobs?stream=days&record_key=d1", token, "POST", bytes, {
      "Content-Type": "image/png",
    });
    assert.deepEqual(pick(blob, ["object", "size_bytes", "mime_type"]), {
      object: "blob",
      size_bytes: bytes.length,
      mime_type: "image/png",
    });
    const { object: _, ...file } = blob;
    const record = line("d1", { data: { id: "d1", file } });
    assert.equal((await ask("/v1/ingest/days", token, "POST", record, NDJSON)).added, 1);
    const read = await world().ask(`/v1/blobs/${blob.blob_id}`, world().owner);
    assert.equal(await read.text(), bytes.toString());
    const bad = await world().refusal("/connectors", world().owner, {
      method: "POST",
      headers: JSON_TYPE,
      body: "{}",
    });
    assert.equal(bad.code, "invalid_manifest");
  });

  test("R52 R73 a writer's token and state end with its connection, even if the connection is recreated", async () => {
    await ask(
      "/connectors?connection_id=gone",
      world().owner,
      "POST",
      JSON.stringify(DECLARATION),
      JSON_TYPE,
    );
    const token = await allowWriting("gone");
    await ask("/v1/state/gone", token, "PUT", '{"state":{"days":1}}', JSON_TYPE);
    await deleteData(owner(), { connection_id: "gone" });
    await ask(
      "/connectors?connection_id=gone",
      world().owner,
      "POST",
      JSON.stringify(DECLARATION),
      JSON_TYPE,
    );
    assert.equal((await world().refusal("/v1/state/gone", token)).code, "invalid_token");
    assert.deepEqual((await ask("/v1/state/gone", world().owner, "GET")).state, {});
  });

  test("R85 the manifest of a connector is a declaration too", async () => {
    const body = JSON.stringify(connectorManifest);
    const declared = await ask("/connectors", world().owner, "POST", body, JSON_TYPE);
    assert.deepEqual(
      [declared.connector_id, declared.connection_id, declared.declaration_version, declared.stream_count],
      [connectorManifest.connector_id, "tunes", "1.0.0", 2],
    );
    await deleteData(owner(), { connection_id: "tunes" });
  });

  test("R85 the root and the list of connectors guide a client that knows only the address", async () => {
    const client = createSpecificationClient(
      async (path, init) => world().app.request(path, init),
      world().client,
    );
    const index = await client.get("index", "/");
    const connectors = await client.get("connectors", index.links.connectors);
    assert.deepEqual(
      connectors.data.map(({ connector_id, streams }: Json) => [
        connector_id,
        streams.map(({ name }: Json) => name),
      ]),
      [[LIBRARY, ["notes"]]],
    );
    assert.equal((await world().ask("/", "", { headers: { Accept: "text/html" } })).status, 404);
  });
});

function pick(value: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, value[name]]));
}
