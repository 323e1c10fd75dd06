import assert from "node:assert/strict";
import { test } from "node:test";
import type { Trace } from "../middleware/trace.ts";
import { countSent, yieldToEventLoop } from "./send-answer.ts";

const PIECES = 20;

const trace = (): Trace => ({
  request_id: "r",
  operation: undefined,
  code: undefined,
  failure: undefined,
  sent: undefined,
});

async function* pieces(count: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at += 1) yield Buffer.alloc(10);
}

test("R55 the last chunk waits until the read is audited", async () => {
  const events: string[] = [];
  const { chunks, sent } = countSent(
    pieces(3),
    async (bytes) => void events.push(`recorded ${bytes}`),
    trace(),
  );
  for await (const chunk of chunks) events.push(`sent ${chunk.length}`);
  assert.deepEqual(events, ["sent 10", "sent 10", "recorded 30", "sent 10"]);
  assert.equal(await sent, 30);
});

test("R55 an empty answer is audited with zero bytes", async () => {
  const recorded: number[] = [];
  const { chunks, sent } = countSent(pieces(0), async (bytes) => void recorded.push(bytes), trace());
  assert.deepEqual(await Array.fromAsync(chunks), []);
  assert.deepEqual([recorded, await sent], [[0], 0]);
});

test("R55 a client that disconnects is audited once", async () => {
  const recorded: number[] = [];
  const { chunks } = countSent(pieces(9), async (bytes) => void recorded.push(bytes), trace());
  await chunks.next();
  await chunks.return(undefined);
  assert.deepEqual(recorded, [10]);
});

test("an unexpected error is logged by its place and hidden from the client", async () => {
  const told = trace();
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(10);
    throw new TypeError("a secret");
  }
  const { chunks, sent } = countSent(broken(), async () => undefined, told);
  await assert.rejects(Array.fromAsync(chunks), { message: "The answer broke off." });
  assert.equal(await sent, 10);
  assert.equal(told.failure?.[0], "TypeError");
  assert.doesNotMatch(JSON.stringify(told), /a secret/);
});

test("yields to the event loop between chunks", async () => {
  let turns = 0;
  const count = () => {
    turns += 1;
    if (turns < PIECES) setImmediate(count);
  };
  setImmediate(count);
  const seen: number[] = [];
  for await (const piece of yieldToEventLoop(produce())) {
    assert.ok(turns >= piece, `piece ${piece} came in turn ${turns}`);
    seen.push(piece);
  }
  assert.equal(seen.length, PIECES);
});

test("closes the source when the reader stops early", async () => {
  let isLeft = false;
  async function* watched(): AsyncGenerator<number> {
    try {
      yield* produce();
    } finally {
      isLeft = true;
    }
  }
  for await (const _ of yieldToEventLoop(watched())) break;
  assert.ok(isLeft);
});

async function* produce(): AsyncGenerator<number> {
  for (let at = 0; at < PIECES; at += 1) yield at;
}
