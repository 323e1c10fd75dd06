import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScopedPartition } from "../catalog/scoped-partition.ts";
import type { Sql } from "../database.ts";
import { FactCache } from "./fact-cache.ts";

const partition = { id: 1, scope: {}, granted: new Set(["body"]), shape: {} } as unknown as ScopedPartition;

/** A database whose change position the test advances, and a scan that counts its calls. */
function prepare() {
  const state = { next_seq: 1, scans: 0, fails: false };
  const sql = { all: async () => [{ next_seq: state.next_seq, changes_floor: 0 }] } as unknown as Sql;
  const cache = new FactCache<number>();
  const ask = () =>
    cache.list({ sql, owner: 1 }, [partition], async () => {
      state.scans += 1;
      const found = state.scans;
      await new Promise(setImmediate);
      if (state.fails) throw new Error("no scan");
      return found;
    });
  return { state, ask };
}

test("concurrent callers share one scan, and a change of records triggers another", async () => {
  const { state, ask } = prepare();
  assert.deepEqual(await Promise.all(Array.from({ length: 50 }, ask)), Array(50).fill([1]));
  assert.deepEqual(await ask(), [1]);
  state.next_seq += 1;
  assert.deepEqual(await Promise.all([ask(), ask()]), [[2], [2]]);
});

test("each concurrent caller retries a failed scan", async () => {
  const { state, ask } = prepare();
  state.fails = true;
  const first = ask();
  const second = ask();
  await assert.rejects(first);
  await assert.rejects(second);
  assert.equal(state.scans, 2);
  state.fails = false;
  assert.deepEqual(await ask(), [3]);
});
