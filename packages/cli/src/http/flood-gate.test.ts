/** A flood of one token in front of the app, over real connections. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { limits } from "@rungs/server";
import { until } from "../../../../testing/until.ts";
import { createFloodGate, type FloodGate } from "./flood-gate.ts";
import { listen } from "./listen.ts";

const LINE = limits.share.requests + limits.share.waiting;

/** A server whose answers wait until they are released; each request is known by its address and token. */
async function serve(context: TestContext) {
  const arrived: string[] = [];
  const [passed, hung_up] = [new Set<number | undefined>(), new Set<number | undefined>()];
  const logs: { code?: string; requests?: number }[] = [];
  const held = Promise.withResolvers<void>();
  const answer = async (request: Request) => {
    const token = request.headers.get("Authorization") ?? "nobody";
    arrived.push(`${token} ${new URL(request.url).pathname}`);
    if (token === "Bearer flood") await held.promise;
    return new Response("ok");
  };
  const flood = createFloodGate((entry) => logs.push(entry));
  const gate: FloodGate = (incoming, outgoing, pass) => {
    const { remotePort } = incoming.socket;
    outgoing.once("close", () => hung_up.add(remotePort));
    flood(incoming, outgoing, () => {
      passed.add(remotePort);
      pass();
    });
  };
  const server = await listen(answer, { host: "127.0.0.1", port: 0, stop_ms: 10, gate });
  context.after(() => server.stop());
  const port = Number(new URL(server.url).port);
  const send = (count: number, path: string): Socket[] =>
    Array.from({ length: count }, () => {
      const socket = connect({ host: "127.0.0.1", port });
      socket.on("error", () => undefined);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer flood\r\n\r\n`);
      return socket;
    });
  const get = (path: string, token?: string) =>
    fetch(server.url + path, { headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } });
  return { arrived, passed, hung_up, logs, send, get, release: held.resolve };
}

/** What arrives on each socket; an answer may come in several pieces. */
function gather(sockets: readonly Socket[]): ReadonlyMap<Socket, string> {
  const answers = new Map<Socket, string>();
  for (const socket of sockets)
    socket.on("data", (chunk: Buffer) => answers.set(socket, `${answers.get(socket) ?? ""}${chunk}`));
  return answers;
}

test("R57 a flood of one token waits in front of the app; the rest is refused, hang-ups are dropped, others pass", async (context) => {
  const { arrived, passed, hung_up, logs, send, get } = await serve(context);
  const sockets = send(100, "/v1/search");
  const answers = gather(sockets);
  await until(() => answers.size === 100 - LINE);
  await until(() => [...answers.values()].every((answer) => answer.endsWith("}}")));
  for (const answer of answers.values())
    assert.match(answer, /^HTTP\/1\.1 429 [\s\S]*Retry-After: 1[\s\S]*"rate_limited"/);
  assert.equal(arrived.length, 2 * limits.share.requests);

  assert.equal(await (await get("/v1/search", "other")).text(), "ok");
  assert.equal(await (await get("/healthz")).text(), "ok");
  assert.equal((await get("/v1/search", "flood")).status, 429);
  send(1, "/v1/export");
  await until(() => arrived.includes("Bearer flood /v1/export"));

  const before = arrived.length;
  // Abort the queued ones first: otherwise the server may notice the hang-ups too late.
  const waiting = sockets.filter(({ localPort }) => !passed.has(localPort));
  const ports = waiting.map(({ localPort }) => localPort);
  for (const socket of waiting) socket.destroy();
  await until(() => ports.every((port) => hung_up.has(port)));
  for (const socket of sockets) socket.destroy();
  send(1, "/v1/schema");
  await until(() => arrived.includes("Bearer flood /v1/schema"));
  assert.equal(arrived.length, before + 1, "none of those that hung up reached the app");
  // Refusals of one second are logged together, and these may have taken longer.
  const countLogged = () => logs.reduce((sum, { requests = 0 }) => sum + requests, 0);
  await until(() => countLogged() === 100 - LINE + 1);
  assert.ok(logs.every(({ code }) => code === "rate_limited"));
});

test("R57 queued requests are answered in order, one per turn of the event loop", async (context) => {
  const { arrived, send, release } = await serve(context);
  const sockets = send(LINE, "/v1/search");
  const answers = gather(sockets);
  await until(() => arrived.length === 2 * limits.share.requests);
  await delay(5);
  assert.equal(arrived.length, 2 * limits.share.requests);
  release();
  await until(() => arrived.length === LINE);
  await until(() => answers.size === LINE);
  for (const socket of sockets) socket.destroy();
});
