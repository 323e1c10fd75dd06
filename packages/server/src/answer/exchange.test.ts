import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@rungs/contract";
import type { Trace } from "../middleware/pipeline.ts";
import { countSent, type Sending, yieldToEventLoop } from "./exchange.ts";

const PIECES = 20;

const trace = (): Trace => ({
  request_id: "r",
  operation: undefined,
  code: undefined,
  failure: undefined,
  sent: undefined,
});

function sending(finish: Sending["finish"] = async () => undefined, rest: Partial<Sending> = {}): Sending {
  return {
    begin: async () => undefined,
    spend: async () => undefined,
    shows_budget: true,
    finish,
    check: async () => undefined,
    status: 200,
    has_lines: false,
    limit_ms: 1_000,
    ...rest,
  };
}

async function* pieces(count: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at += 1) yield Buffer.alloc(10);
}

test("R55 the last chunk waits until the read is audited", async () => {
  const events: string[] = [];
  const { chunks, sent } = countSent(
    pieces(3),
    sending(async (bytes) => void events.push(`recorded ${bytes}`)),
    trace(),
  );
  for await (const chunk of chunks) events.push(`sent ${chunk.length}`);
  assert.deepEqual(events, ["sent 10", "sent 10", "recorded 30", "sent 10"]);
  assert.equal(await sent, 30);
});

test("R55 an empty answer is audited with zero bytes", async () => {
  const recorded: number[] = [];
  const { chunks, sent } = countSent(
    pieces(0),
    sending(async (bytes) => void recorded.push(bytes)),
    trace(),
  );
  assert.deepEqual(await Array.fromAsync(chunks), []);
  assert.deepEqual([recorded, await sent], [[0], 0]);
});

test("R55 a client that disconnects is audited once", async () => {
  const recorded: number[] = [];
  const { chunks } = countSent(
    pieces(9),
    sending(async (bytes) => void recorded.push(bytes)),
    trace(),
  );
  await chunks.next();
  await chunks.return(undefined);
  assert.deepEqual(recorded, [10]);
});

test("R59 a client that leaves before the first chunk is audited once", async () => {
  const recorded: unknown[] = [];
  const { leave, sent } = countSent(
    pieces(9),
    sending(async (bytes, progress) => void recorded.push([bytes, progress])),
    trace(),
  );
  await leave();
  await leave();
  assert.deepEqual([recorded, await sent], [[[0, "broken"]], 0]);
});

test("an unexpected error is logged with its location and hidden from the client", async () => {
  const told = trace();
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield* pieces(2);
    throw new TypeError("a secret");
  }
  const { chunks, sent } = countSent(broken(), sending(), told);
  await assert.rejects(Array.fromAsync(chunks), { message: "The answer broke off." });
  assert.equal(await sent, 10);
  assert.equal(told.failure?.[0], "TypeError");
  assert.doesNotMatch(JSON.stringify(told), /a secret/);
});

test("R58 a check precedes each chunk, and a stream that is cut off ends with the error as its last line", async () => {
  let checks = 0;
  const check = async () => {
    checks += 1;
    if (checks === 3) throw new ApiError("grant_revoked");
  };
  const told = trace();
  const { chunks, sent } = countSent(pieces(9), sending(undefined, { check, has_lines: true }), told);
  const first = await chunks.next();
  assert.equal(first.value?.length, 10);
  const line = Buffer.from((await chunks.next()).value as Uint8Array).toString();
  assert.match(line, /^\n\{"error":\{.*"code":"grant_revoked".*\n$/);
  await assert.rejects(chunks.next(), { message: "The answer broke off." });
  assert.deepEqual([await sent, told.code, told.failure], [10, "grant_revoked", undefined]);
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
