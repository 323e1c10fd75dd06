import assert from "node:assert/strict";
import { test } from "node:test";
import { countChars, sliceChars } from "@rungs/evidence";
import type { FieldSlice, StoredCut, StoredRecord } from "@rungs/store";
import { type ReadPiece, writeData } from "./write-data.ts";

const long = `${'😀"\\'.repeat(40_000)}end`;
const json = JSON.stringify({ list: Array.from({ length: 20_000 }, (_, at) => at) });

function cutOf(path: string, kind: "text" | "json", text: string): StoredCut {
  return {
    path,
    kind,
    size_chars: countChars(text),
    size_bytes: 0,
    digest: `d:${path}`,
    head: text.slice(0, 10),
  };
}

function record(data: Record<string, unknown>, cuts: StoredCut[]): StoredRecord {
  return { connection_id: "c", stream: "s", record_id: "r", emitted_at: "", data, cuts };
}

function readFrom(texts: Record<string, string>): ReadPiece {
  return async (path, { start, end }) => {
    const text = texts[path] ?? "";
    return { digest: `d:${path}`, text: sliceChars(text, start, end) } as FieldSlice;
  };
}

test("writes cut values whole, piece by piece, at any depth", async () => {
  const data = { a: 1, b: "head", c: null, deep: { list: [1, "head", {}], none: [] } };
  const cuts = [cutOf("b", "text", long), cutOf("c", "json", json), cutOf("deep.list[1]", "text", long)];
  const read = readFrom({ b: long, c: json, "deep.list[1]": long });
  const pieces = await Array.fromAsync(writeData(record(data, cuts), read));
  assert.ok(Math.max(...pieces.map((piece) => piece.length)) < 500_000);
  assert.deepEqual(JSON.parse(pieces.join("")), {
    a: 1,
    b: long,
    c: JSON.parse(json),
    deep: { list: [1, long, {}], none: [] },
  });
});

test("fails when a value changes while it is read, instead of mixing versions", async () => {
  const changing: ReadPiece = async (_, { start, end }) =>
    ({ digest: start === 0 ? "d:b" : "d:other", text: sliceChars(long, start, end) }) as FieldSlice;
  const pieces = writeData(record({ b: "head" }, [cutOf("b", "text", long)]), changing);
  await assert.rejects(Array.fromAsync(pieces), /changed while it was read/);
});
