import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "@rungs/contract";
import { readJsonLines } from "./json-lines.ts";

const record = (id: string) => ({
  object: "record",
  id,
  handle: `c/s:${id}`,
  connection_id: "c",
  stream: "s",
  emitted_at: "2026-01-01T00:00:00Z",
  data: { text: "é漢😀" },
});
const end = { object: "export_end", record_count: 2 };

function answer(text: string, size = 5): Response {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  return new Response(ReadableStream.from(pieces));
}

async function read(text: string, size?: number): Promise<unknown[]> {
  return Array.fromAsync(readJsonLines(operations.export, answer(text, size), { last_line: "export_end" }));
}

test("yields the same lines wherever the bytes are split", async () => {
  const lines = [record("1"), record("2"), end];
  const text = `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
  for (const size of [1, 7, 1000]) assert.deepEqual(await read(text, size), lines);
});

test("an answer without its last line, with half of it, or with no line is reported as cut off", async () => {
  const broken = [
    `${JSON.stringify(record("1"))}\n`,
    `${JSON.stringify(record("1"))}\n${JSON.stringify(end)}`,
    "",
  ];
  for (const text of broken) {
    await assert.rejects(read(text), { code: "unexpected_answer", message: /broke off/ });
  }
});

test("a line that breaks the contract is refused", async () => {
  await assert.rejects(read('{"object":"other"}\n'), { code: "unexpected_answer" });
  await assert.rejects(read("nonsense\n"), { code: "unexpected_answer" });
});
