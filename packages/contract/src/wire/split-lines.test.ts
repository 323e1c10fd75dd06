import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { splitLines } from "./split-lines.ts";

/** Yields every chunk in the same buffer, as some readers do. */
async function* inOneBuffer(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  const memory = Buffer.alloc(Math.max(1, ...chunks.map(({ length }) => length)));
  for (const chunk of chunks) {
    memory.set(chunk);
    yield memory.subarray(0, chunk.length);
  }
}

async function split(
  chunks: readonly Uint8Array[],
  max_bytes = 1000,
): Promise<[number, string | undefined][]> {
  const lines = await Array.fromAsync(splitLines(inOneBuffer(chunks), { max_bytes }));
  return lines.map(({ number, bytes }) => [number, bytes && Buffer.from(bytes).toString()]);
}

test("lines are the same wherever the bytes are cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: "grapheme" })),
      fc.array(fc.integer({ min: 1, max: 9 })),
      async (texts, cuts) => {
        const clean = texts.map((text) => text.replace(/[\r\n]/g, ""));
        const bytes = Buffer.from(clean.join("\n"));
        const chunks: Uint8Array[] = [];
        for (let at = 0, cut = 0; at < bytes.length; cut += 1) {
          const size = cuts[cut % cuts.length] ?? 5;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        const expected = clean.map((text, at) => [at + 1, text]);
        if (clean.at(-1) === "") expected.pop();
        assert.deepEqual(await split(chunks), expected);
      },
    ),
  );
});

test("a line over the limit is not held, and the next line is read", async () => {
  const long = Array.from({ length: 100 }, () => Buffer.alloc(50, "x"));
  assert.deepEqual(await split([Buffer.from("a\n"), ...long, Buffer.from("\nb")], 100), [
    [1, "a"],
    [2, undefined],
    [3, "b"],
  ]);
  assert.deepEqual(await split([Buffer.alloc(100, "x")], 100), [[1, "x".repeat(100)]]);
  assert.deepEqual(await split([Buffer.alloc(101, "x")], 100), [[1, undefined]]);
});

test("a line says whether a newline ended it", async () => {
  const ended = async (text: string) =>
    Array.fromAsync(
      splitLines(inOneBuffer([Buffer.from(text)]), { max_bytes: 10 }),
      ({ has_newline }) => has_newline,
    );
  assert.deepEqual(await ended("a\n\nb"), [true, true, false]);
  assert.deepEqual(await ended("a\n"), [true]);
  assert.deepEqual(await ended(""), []);
});
