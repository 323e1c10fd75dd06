import assert from "node:assert/strict";
import { test } from "node:test";
import { takeTurns } from "./yield-to-event-loop.ts";

const PIECES = 20;

test("others have their turn between any two pieces of an answer", async () => {
  let turns = 0;
  const count = () => {
    turns += 1;
    if (turns < PIECES) setImmediate(count);
  };
  setImmediate(count);
  const seen: number[] = [];
  for await (const piece of takeTurns(produce())) {
    assert.ok(turns >= piece, `piece ${piece} came in turn ${turns}`);
    seen.push(piece);
  }
  assert.equal(seen.length, PIECES);
});

test("a source is told when its reader leaves", async () => {
  let isLeft = false;
  async function* watched(): AsyncGenerator<number> {
    try {
      yield* produce();
    } finally {
      isLeft = true;
    }
  }
  for await (const _ of takeTurns(watched())) break;
  assert.ok(isLeft);
});

async function* produce(): AsyncGenerator<number> {
  for (let at = 0; at < PIECES; at += 1) yield at;
}
