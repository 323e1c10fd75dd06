import assert from "node:assert/strict";
import { test } from "node:test";
import { createSharedValues } from "../../../../testing/shared-values.ts";
import { createTurns, type TakeTurn } from "./turns.ts";

const { signal } = new AbortController();

test("R57 a key runs a few requests at once, queues some more in order, and refuses the rest", async () => {
  const take = createTurns({ at_once: 1, waiting: 2 });
  const order: string[] = [];
  const first = await take("a", signal);
  const [second, third] = ["second", "third"].map((name) =>
    take("a", signal).then((turn) => {
      order.push(name);
      return turn;
    }),
  );
  await assert.rejects(take("a", signal), { code: "rate_limited" });
  assert.equal((await take("b", signal)).hasWaited, false);
  assert.deepEqual([first.hasWaited, order], [false, []]);
  first.end();
  first.end();
  assert.equal((await second)?.hasWaited, true);
  assert.deepEqual(order, ["second"]);
  (await second)?.end();
  (await third)?.end();
  assert.deepEqual(order, ["second", "third"]);
  assert.equal((await take("a", signal)).hasWaited, false);
});

test("R57 a caller that disconnects while queued loses its place, and nobody waits for it", async () => {
  const take = createTurns({ at_once: 1, waiting: 2 });
  const hangUp = new AbortController();
  const first = await take("a", signal);
  const gone = take("a", hangUp.signal);
  const next = take("a", signal);
  hangUp.abort("gone");
  await assert.rejects(gone, (reason) => reason === "gone");
  await assert.rejects(take("a", hangUp.signal), (reason) => reason === "gone");
  first.end();
  assert.equal((await next).hasWaited, true);
});

const turn = () => new Promise(setImmediate);

/** Turns of several servers on one database. */
function createServers(count: number, own: number, limits = { at_once: 4, waiting: 2 }) {
  const context = createSharedValues();
  const sharing = { ...context, now: context.now, name: "test", own, keeps_ms: 0 };
  return { context, servers: Array.from({ length: count }, () => createTurns(limits, sharing)) };
}

test("R57 servers share the turns of a key, and each has one that needs no lease", async () => {
  const { context, servers } = createServers(2, 1);
  const [one, other] = servers as [TakeTurn, TakeTurn];
  const first = await one("a", signal);
  assert.equal(context.changes, 0, "who sends one request at a time asks nobody");
  const rest = await Promise.all([1, 2, 3].map(() => one("a", signal)));
  assert.deepEqual(
    [first, ...rest].map(({ hasWaited }) => hasWaited),
    [false, false, false, false],
  );
  await other("a", signal);
  const waiting = other("a", signal);
  await turn();
  await turn();
  rest[0]?.end();
  assert.equal((await waiting).hasWaited, true, "a turn that ends elsewhere is passed on");
});

test("R57 watches are counted over all servers, and nobody waits for one", async () => {
  const { servers } = createServers(4, 0, { at_once: 4, waiting: 0 });
  const taken = await Promise.allSettled(
    Array.from({ length: 16 }, (_, at) => (servers[at % 4] as TakeTurn)("a", signal)),
  );
  const open = taken.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  assert.equal(open.length, 4);
  const full = Promise.all(servers.map((take) => take("a", signal)));
  await assert.rejects(full, { code: "rate_limited" });
  await (servers[0] as TakeTurn)("b", signal);
});

test("R57 a server that was killed holds its turns for some seconds only", async () => {
  const { context, servers } = createServers(2, 0, { at_once: 1, waiting: 0 });
  const [killed, other] = servers as [TakeTurn, TakeTurn];
  await killed("a", signal);
  await assert.rejects(other("a", signal), { code: "rate_limited" });
  context.clock += 15_000;
  await new Promise((resolve) => setTimeout(resolve, 260));
  assert.equal((await other("a", signal)).hasWaited, false);
});

test("R57 turns of a server that was killed end although the clock went back", async () => {
  const { context, servers } = createServers(2, 0, { at_once: 1, waiting: 0 });
  const [killed, other] = servers as [TakeTurn, TakeTurn];
  context.clock += 3_600_000;
  await killed("a", signal);
  context.clock -= 3_600_000;
  assert.equal((await other("a", signal)).hasWaited, false);
});
