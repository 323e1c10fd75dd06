import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createSharedValues } from "../../../../testing/shared-values.ts";
import { limits } from "../settings/limits.ts";
import { createShares } from "./shares.ts";

const { signal } = new AbortController();

test("R57 a flood of one token is looked up a few at a time, between the turns of the event loop", async () => {
  const { takeLookup } = createShares(limits, createSharedValues());
  let done = 0;
  const lookUp = async (digest: string) => {
    const turn = await takeLookup(digest, signal);
    done += 1;
    turn.end();
  };
  const flood = Array.from({ length: 100 }, () => lookUp("flood"));
  let turns = 0;
  for (; done < 100; turns += 1) {
    const before = done;
    await nextTurn();
    assert.ok(done - before <= 4, `${done - before} look-ups in one turn`);
  }
  await Promise.all(flood);
  assert.ok(turns >= 25, `${turns} turns`);
});

test("R57 another token is looked up at once beside a flood", async () => {
  const { takeLookup } = createShares(limits, createSharedValues());
  const flood = Array.from({ length: 100 }, () => takeLookup("flood", signal).then(({ end }) => end()));
  assert.equal((await takeLookup("other", signal)).hasWaited, false);
  await Promise.all(flood);
});
