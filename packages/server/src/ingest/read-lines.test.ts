import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readIngestLines } from "./read-lines.ts";

async function read(
  pieces: readonly Uint8Array[],
  max_bytes = 1000,
): Promise<[number, string | undefined][]> {
  const lines = await Array.fromAsync(
    readIngestLines(
      (async function* () {
        yield* pieces;
      })(),
      max_bytes,
    ),
  );
  return lines.map(({ number, bytes }) => [number, bytes?.toString()]);
}

test("lines are the same wherever the bytes are cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: "grapheme" })),
      fc.array(fc.integer({ min: 1, max: 9 })),
      async (texts, cuts) => {
        const clean = texts.map((text) => text.replace(/[\r\n]/g, ""));
        const bytes = Buffer.from(clean.join("\n"));
        const pieces: Uint8Array[] = [];
        for (let at = 0, cut = 0; at < bytes.length; cut += 1) {
          const size = cuts[cut % cuts.length] ?? 5;
          pieces.push(bytes.subarray(at, at + size));
          at += size;
        }
        const expected = clean.map((text, at) => [at + 1, text] as const).filter(([, text]) => text !== "");
        assert.deepEqual(await read(pieces), expected);
      },
    ),
  );
});

test("a line that is too long is passed over without being held, and the next is read", async () => {
  const long = Array.from({ length: 100 }, () => Buffer.alloc(50, "x"));
  assert.deepEqual(await read([Buffer.from("a\n"), ...long, Buffer.from("\nb")], 100), [
    [1, "a"],
    [2, undefined],
    [3, "b"],
  ]);
  assert.deepEqual(await read([Buffer.alloc(100, "x")], 100), [[1, "x".repeat(100)]]);
  assert.deepEqual(await read([Buffer.alloc(101, "x")], 100), [[1, undefined]]);
});
