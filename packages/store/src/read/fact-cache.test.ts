import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScopedPartition } from "../catalog/catalog.ts";
import type { Sql } from "../database.ts";
import { FactCache } from "./fact-cache.ts";

const partition = { id: 1, scope: {}, granted: new Set(["body"]), shape: {} } as unknown as ScopedPartition;

/** A database at a position that the test moves, and a walk that counts how often it is made. */
function prepare() {
  const state = { next_seq: 1, walks: 0, fails: false };
  const sql = { all: async () => [{ next_seq: state.next_seq, changes_floor: 0 }] } as unknown as Sql;
  const known = new FactCache<number>();
  const ask = () =>
    known.list(sql, 1, [partition], async () => {
      state.walks += 1;
      const found = state.walks;
      await new Promise(setImmediate);
      if (state.fails) throw new Error("no walk");
      return found;
    });
  return { state, ask };
}

test("many who ask at once share one walk, and another is made when records change", async () => {
  const { state, ask } = prepare();
  assert.deepEqual(await Promise.all(Array.from({ length: 50 }, ask)), Array(50).fill([1]));
  assert.deepEqual(await ask(), [1]);
  state.next_seq += 1;
  assert.deepEqual(await Promise.all([ask(), ask()]), [[2], [2]]);
});

test("a walk that fails is nobody else's answer", async () => {
  const { state, ask } = prepare();
  state.fails = true;
  const first = ask();
  const second = ask();
  await assert.rejects(first);
  await assert.rejects(second);
  assert.equal(state.walks, 2);
  state.fails = false;
  assert.deepEqual(await ask(), [3]);
});
