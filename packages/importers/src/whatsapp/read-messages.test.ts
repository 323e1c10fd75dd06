import assert from "node:assert/strict";
import { test } from "node:test";
import { readChatLines } from "./read-messages.ts";

async function linesOf(pieces: readonly Uint8Array[], max_chars: number) {
  async function* bytes() {
    yield* pieces;
  }
  return Array.fromAsync(readChatLines(bytes(), max_chars));
}

test("a line over the limit is dropped and marked, wherever its bytes are cut", async () => {
  const text = "ab\r\nabcdef\nabc";
  for (let cut = 0; cut <= text.length; cut += 1) {
    const pieces = [Buffer.from(text.slice(0, cut)), Buffer.from(text.slice(cut))];
    assert.deepEqual(await linesOf(pieces, 4), [
      { number: 1, text: "ab", too_long: false },
      { number: 2, text: "", too_long: true },
      { number: 3, text: "abc", too_long: false },
    ]);
  }
});

test("an incomplete character at the end of the file counts for its line", async () => {
  const broken = Buffer.from([0x61, 0x62, 0xc2]);
  assert.deepEqual(await linesOf([broken], 3), [{ number: 1, text: "ab\ufffd", too_long: false }]);
  assert.deepEqual(await linesOf([broken], 2), [{ number: 1, text: "", too_long: true }]);
});
