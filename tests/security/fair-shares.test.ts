/** How much one client can take from others, over real connections (R56, R57). */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { type Listening, listen } from "rungs/internal/listen";
import { addMcp } from "rungs/internal/mcp-endpoint";
import { engines } from "../../testing/engines.ts";
import { startStdio } from "../../testing/mcp/connect.ts";
import { createGate, WAIT } from "../../testing/store/gate.ts";
import { until } from "../../testing/until.ts";
import { createWorld, INSIDE, type Json, type World } from "../../testing/world.ts";

const NOTES = [{ name: "notes", instance_ids: ["home"], resources: undefined, fields: undefined }];
const SHARE = { requests: 4, streams: 2, watches: 2, waiting: 64 };

for (const engine of Object.keys(engines)) {
  describe(engine, () => {
    const gate = createGate();
    let world: World;
    let server: Listening;
    /** Another client, which keeps within its limits. */
    let other: string;

    before(async () => {
      world = await createWorld(
        engine,
        { now: Date.now, limits: { rate: { burst: 1e9, per_second: 1e9 }, share: SHARE } },
        { workers: 2, embedder: gate.embedder, grace_ms: 20 },
      );
      addMcp(world.app, world.store);
      server = await listen(world.app.fetch, { host: "127.0.0.1", port: 0, stop_ms: 100 });
      other = (await world.allow(NOTES, { client_id: "other" })).token;
    });
    after(async () => {
      await server?.stop();
      await world?.close();
    });

    const get = (path: string, token = "") =>
      fetch(server.url + path, { headers: token === "" ? {} : { Authorization: `Bearer ${token}` } });

    /** Sends requests without reading their answers. */
    const sendMany = (count: number, path: string, token: string): Socket[] =>
      Array.from({ length: count }, () => {
        const socket = connect({ host: "127.0.0.1", port: Number(new URL(server.url).port) });
        socket.on("error", () => undefined);
        socket.pause();
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
        return socket;
      });

    const countLogs = (code: string) => world.logs.filter((entry) => entry.code === code).length;

    const requireOthersServed = async () => {
      assert.equal((await get("/healthz")).status, 200);
      const found = (await (await get(`/v1/search?q=${INSIDE}`, other)).json()) as Json;
      assert.ok(found.data.length > 0);
      assert.equal((await get("/v1/schema", world.owner)).status, 200);
    };

    test("R57 100 requests and a hang-up: four run at once, others are served, and all work ends", async () => {
      const sockets = sendMany(100, `/v1/search?q=${WAIT}`, world.client);
      await until(() => countLogs("rate_limited") === 100 - SHARE.requests - SHARE.waiting);
      await until(() => gate.waiting.length === 1);
      await requireOthersServed();
      assert.deepEqual({ ...world.store.abandoned }, { dropped: 0, cancelled: 0 });
      for (const socket of sockets) socket.destroy();
      await until(() => countLogs("read_cancelled") === SHARE.requests + SHARE.waiting);
      // One was in a thread; the lane's other requests waited for it.
      assert.deepEqual({ ...world.store.abandoned }, { dropped: SHARE.requests - 1, cancelled: 1 });
      assert.equal(gate.waiting.length, 1);
      await requireOthersServed();
      assert.equal((await get("/v1/search?q=tea", world.client)).status, 200);
    });

    test("R57 200 exports that nobody reads: two are open, and the others are served", async () => {
      const raw = Buffer.alloc(600_000, "png").toString("base64");
      const notes = Array.from({ length: 20 }, (_, at) => ({
        stream: "notes",
        key: `large${at}`,
        emitted_at: "2026-05-01T00:00:00Z",
        data: { id: `large${at}`, raw },
      }));
      await world.store.ingest(world.owner_id, "home", notes);
      const limited = countLogs("rate_limited");
      const sockets = sendMany(200, "/v1/export", world.client);
      await until(() => countLogs("rate_limited") - limited === 200 - SHARE.streams - SHARE.waiting);
      await requireOthersServed();
      const refused = await get("/v1/export", world.client);
      assert.deepEqual([refused.status, refused.headers.get("Retry-After")], [429, "1"]);
      for (const socket of sockets) socket.destroy();
      await until(() => world.logs.filter(({ operation }) => operation === "export").length === 201);
      const whole = await (await get("/v1/export", world.client)).text();
      assert.match(whole.slice(-200), /"object":"export_end"/);
    });

    const postMcp = (message: object, token: string, signal: AbortSignal | null = null) =>
      fetch(`${server.url}/mcp`, {
        method: "POST",
        signal,
        headers: {
          Authorization: `Bearer ${token}`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      });
    const slowCall = (id: number | string) => ({
      id,
      method: "tools/call",
      params: { name: "search", arguments: { query: WAIT } },
    });
    const cancellation = (requestId: number | string) => ({
      method: "notifications/cancelled",
      params: { requestId },
    });

    test("R57 a hang-up at /mcp ends the read", async () => {
      const { cancelled } = world.store.abandoned;
      const [before, hangUp] = [gate.waiting.length, new AbortController()];
      const calling = postMcp(slowCall(1), world.client, hangUp.signal).catch(() => undefined);
      await until(() => gate.waiting.length > before);
      hangUp.abort();
      await calling;
      await until(() => world.store.abandoned.cancelled === cancelled + 1);
    });

    test("R57 a cancellation at /mcp ends the read of its own token, and of no other", async () => {
      const { cancelled } = world.store.abandoned;
      const before = gate.waiting.length;
      const calling = postMcp(slowCall("call 7"), world.client);
      await until(() => gate.waiting.length > before);
      for (const [requestId, token] of [
        ["call 7", other],
        ["call 8", world.client],
      ] as const)
        assert.equal((await postMcp(cancellation(requestId), token)).status, 202);
      assert.equal(world.store.abandoned.cancelled, cancelled);
      assert.equal((await postMcp(cancellation("call 7"), world.client)).status, 202);
      await until(() => world.store.abandoned.cancelled === cancelled + 1);
      assert.match(await (await calling).text(), /read_cancelled|^$/);
    });

    test("R57 an id that two sessions of a token use at once cancels neither", async () => {
      const { cancelled, dropped } = world.store.abandoned;
      const before = gate.waiting.length;
      const hangUp = new AbortController();
      const both = [1, 2].map(() => postMcp(slowCall(5), world.client, hangUp.signal).catch(() => undefined));
      await until(() => gate.waiting.length > before);
      await postMcp(cancellation(5), world.client);
      await requireOthersServed();
      assert.deepEqual({ ...world.store.abandoned }, { cancelled, dropped });
      hangUp.abort();
      await Promise.all(both);
      await until(
        () => world.store.abandoned.cancelled + world.store.abandoned.dropped > cancelled + dropped,
      );
    });

    test("R57 a host that cancels over stdio ends the read on the server", async (t) => {
      const { cancelled } = world.store.abandoned;
      const before = gate.waiting.length;
      const client = await startStdio({ RUNGS_URL: server.url, RUNGS_TOKEN: world.client });
      t.after(() => client.close());
      const cancel = new AbortController();
      const calling = client
        .callTool({ name: "search", arguments: { query: WAIT } }, { signal: cancel.signal })
        .catch((error: unknown) => error);
      await until(() => gate.waiting.length > before);
      cancel.abort();
      await calling;
      await until(() => world.store.abandoned.cancelled > cancelled);
    });
  });
}
