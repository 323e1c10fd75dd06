import assert from "node:assert/strict";
import { test } from "node:test";
import { splitMbox } from "./split-mbox.ts";

const MEGABYTE = 1024 ** 2;
const TOTAL = 300 * MEGABYTE;
const MESSAGE = `From - Mon Jun  3 12:50:27 1996\nSubject: s\n\n${"line of text\n".repeat(5000)}\n`;

async function* repeat(text: string, total: number): AsyncGenerator<Uint8Array> {
  const chunk = Buffer.from(text);
  for (let size = 0; size < total; size += chunk.length) yield chunk;
}

async function count(chunks: AsyncIterable<Uint8Array>): Promise<{ whole: number; too_large: number }> {
  const found = { whole: 0, too_large: 0 };
  for await (const { bytes } of splitMbox(chunks, 0, MEGABYTE)) found[bytes ? "whole" : "too_large"] += 1;
  return found;
}

test("a mailbox of 300 MB, and a message of 300 MB, are split in a few megabytes", async () => {
  const before = process.resourceUsage().maxRSS;
  const messages = await count(repeat(MESSAGE, TOTAL));
  assert.deepEqual(messages, { whole: Math.ceil(TOTAL / MESSAGE.length), too_large: 0 });
  const one = MESSAGE.split("\n").slice(3).join("\n");
  const large = (async function* () {
    yield Buffer.from(MESSAGE);
    yield* repeat(one, TOTAL);
    yield Buffer.from(MESSAGE);
  })();
  assert.deepEqual(await count(large), { whole: 1, too_large: 1 });
  const grown = (process.resourceUsage().maxRSS - before) * 1024;
  assert.ok(grown < 100 * MEGABYTE, `${grown} bytes more`);
});
