import assert from "node:assert/strict";
import { test } from "node:test";
import { createTurns } from "./shares.ts";

const { signal } = new AbortController();

test("R57 a key has a few turns at once, the next ones wait in order, and those beyond are refused", async () => {
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

test("R57 a caller that goes while it waits loses its place, and nobody waits for it", async () => {
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
