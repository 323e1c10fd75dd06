/** Behaviour of real connections: timeouts, limits of the HTTP parser, streaming, graceful shutdown. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Listening, listen } from "rungs/internal/listen";
import { until } from "../../testing/until.ts";
import { createWorld, type Json, LONG_TEXT, type World } from "../../testing/world.ts";

let world: World;
let server: Listening;
const place = ({ url } = server) => ({ host: "127.0.0.1", port: Number(new URL(url).port) });
const get = (path: string, init: RequestInit = {}, token = world.client) =>
  fetch(server.url + path, { ...init, headers: { Authorization: `Bearer ${token}`, ...init.headers } });

before(async () => {
  world = await createWorld("sqlite");
  server = await listen(world.app.fetch, { host: "127.0.0.1", port: 0, stop_ms: 500 });
});
after(async () => {
  await server?.stop();
  await world?.close();
});

/** Sends raw bytes, and reads until the other side hangs up. */
async function sendRaw(bytes: string, to = server): Promise<string> {
  const socket = connect(place(to));
  socket.on("error", () => undefined);
  socket.write(bytes);
  return readAll(socket);
}

async function readAll(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket) text += chunk;
  return text;
}

function bodyOf(raw: string): Json {
  return JSON.parse(raw.slice(raw.indexOf("\r\n\r\n") + 4));
}

test("answers over a socket equal those of the app", async () => {
  const answer = await get("/v1/streams/notes/records/long/field-window?field=body&limit_chars=50");
  const { window } = (await answer.json()) as Json;
  assert.ok(LONG_TEXT.startsWith(window.text));
  assert.ok(answer.headers.has("Request-Id"));
  const head = await get(`/v1/blobs/${world.blob.blob_id}`, { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("Content-Length"), await head.text()], [200, "24", ""]);
});

test("bytes that are not HTTP get a coded 400, and headers that are too large a coded 431", async () => {
  for (const [bytes, status, code] of [
    ["GARBAGE\r\n\r\n", 400, "invalid_request"],
    ["GET /healthz HTTP/1.1\r\nHost: localhost\r\nBad Header\r\n\r\n", 400, "invalid_request"],
    [`GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ${"a".repeat(40_000)}\r\n\r\n`, 431, "header_too_large"],
    [`GET /${"a".repeat(40_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431, "header_too_large"],
    ["GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "invalid_request"],
    ["GET \\healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 400, "invalid_request"],
  ] as const) {
    const raw = await sendRaw(bytes);
    assert.ok(raw.startsWith(`HTTP/1.1 ${status} `), raw.slice(0, 80));
    const { error } = bodyOf(raw);
    assert.equal(error.code, code);
    assert.match(raw, new RegExp(`Request-Id: ${error.request_id}`, "i"));
  }
});

test("a foreign Host is refused over a socket too", async () => {
  const raw = await sendRaw("GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
  assert.equal(bodyOf(raw).error.code, "host_not_allowed");
});

test("headers that do not arrive in time are 408", async (t) => {
  const own = await listen(world.app.fetch, { host: "127.0.0.1", port: 0, headers_ms: 300, stop_ms: 500 });
  t.after(() => own.stop());
  const raw = await sendRaw("GET /healthz HTTP/1.1\r\nHost: localhost\r\n", own);
  assert.ok(raw.startsWith("HTTP/1.1 408 "), raw.slice(0, 80));
  assert.equal(bodyOf(raw).error.code, "request_timeout");
});

test("a refused upload gets its answer even while the client still sends", async () => {
  const init = { method: "POST", headers: { "Content-Type": "text/csv" }, body: "x".repeat(3_000_000) };
  const answer = await get("/v1/connections/home/records", init, world.owner);
  assert.deepEqual(
    [answer.status, ((await answer.json()) as Json).error.code],
    [415, "unsupported_media_type"],
  );
});

test("an upload streams in over a socket", async () => {
  const line = (at: number) =>
    JSON.stringify({
      stream: "notes",
      key: `s${at}`,
      emitted_at: "2026-05-01T00:00:00Z",
      data: { id: `s${at}`, body: "word ".repeat(200) },
    });
  async function* lines() {
    for (let at = 0; at < 2000; at += 1) yield Buffer.from(`${line(at)}\n`);
  }
  const init = {
    method: "POST",
    headers: { "Content-Type": "application/x-ndjson" },
    body: ReadableStream.from(lines()),
    duplex: "half",
  };
  const answer = (await (
    await get("/v1/connections/work/records", init as RequestInit, world.owner)
  ).json()) as Json;
  assert.equal(answer.added, 2000);
});

test("a slow reader slows the export down and does not fill memory (backpressure)", async () => {
  // Not searchable, so that storing it costs no index.
  const raw = "bGluZSBvZiB0ZXh0\n".repeat(35_300);
  for (let at = 0; at < 60; at += 1) {
    const data = { id: `slow${at}`, raw };
    await world.store.ingest(world.owner_id, "work", [
      { stream: "notes", key: `slow${at}`, emitted_at: "2026-05-01T00:00:00Z", data },
    ]);
  }
  const before = world.store.traffic.bytes;
  const socket = connect(place());
  socket.pause();
  socket.write(
    `GET /v1/export?connection_id=work HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${world.owner}\r\nConnection: close\r\n\r\n`,
  );
  await delay(600);
  const read = world.store.traffic.bytes - before;
  assert.ok(read < 20_000_000, `${read} bytes were read of 36 MB, though nobody took them`);
  const text = await readAll(socket);
  assert.match(text.slice(-200), /"object":"export_end"/);
});

test("a client that disconnects mid-answer is in the audit log too", async () => {
  const controller = new AbortController();
  const answer = await get("/v1/export?connection_id=work", { signal: controller.signal }, world.owner);
  await answer.body?.getReader().read();
  controller.abort();
  const request_id = answer.headers.get("Request-Id");
  await until(async () => {
    const rows = await world.store.listAudit(world.owner_id, { limit: 20 });
    return rows.some((row) => row.request_id === request_id);
  });
});

test("64 concurrent readers each get the right answer", async () => {
  const answers = await Promise.all(
    Array.from({ length: 64 }, async (_, at) => {
      const path = `/v1/streams/notes/records/long/field-window?field=body&offset_chars=${at * 100}&limit_chars=100`;
      return ((await (await get(path)).json()) as Json).window.start_chars;
    }),
  );
  assert.deepEqual(
    answers,
    Array.from({ length: 64 }, (_, at) => at * 100),
  );
});

test("a stopping server finishes in-flight requests and accepts no more", async (t) => {
  const own = await listen(world.app.fetch, { host: "127.0.0.1", port: 0, stop_ms: 3_600_000 });
  const { search } = world.store;
  t.after(() => {
    world.store.search = search;
  });
  const [began, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  world.store.search = async (...args) => {
    began.resolve();
    await goOn.promise;
    return search(...args);
  };
  const running = fetch(`${own.url}/v1/search?q=tea`, {
    headers: { Authorization: `Bearer ${world.client}` },
  });
  await began.promise;
  const began_ms = performance.now();
  const stopped = own.stop();
  await assert.rejects(fetch(`${own.url}/healthz`));
  goOn.resolve();
  const answer = await running;
  assert.equal(answer.status, 200);
  assert.ok(((await answer.json()) as Json).data.length > 0);
  await stopped;
  // After 10 seconds Node closes such a connection by itself.
  assert.ok(performance.now() - began_ms < 9_000, "it waits for connections that have nothing to say");
});

test("a stopping server closes connections that do not end", async (t) => {
  const own = await listen(world.app.fetch, { host: "127.0.0.1", port: 0, stop_ms: 200 });
  const before = world.store.traffic.bytes;
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(own.url).port) });
  t.after(() => socket.destroy());
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(
    `GET /v1/export?connection_id=work HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${world.owner}\r\n\r\n`,
  );
  await until(() => world.store.traffic.bytes > before);
  await own.stop();
});

test("a port in use gives one clear sentence", async () => {
  await assert.rejects(listen(world.app.fetch, place()), /^Error: Port \d+ is in use: .*--port\.$/);
});
