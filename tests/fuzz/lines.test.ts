/** Lines of JSON, as programs bring records in and as exports go out: however they arrive, they are the same lines. */
import assert from "node:assert/strict";
import { operations, recordEnvelopeSchema, splitLines } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import fc from "fast-check";
import { readJsonLines } from "../../packages/client/src/json-lines.ts";
import { parseLine } from "../../packages/server/src/ingest/ingest-lines.ts";
import { assertCoded, fuzz, settle } from "./cases.ts";
import { anyCuts, inPieces, mangledBytes } from "./mangled.ts";

const MAX_BYTES = 400;
const line = (id: string, text: string) =>
  JSON.stringify({ stream: "notes", key: id, emitted_at: "2026-05-01T00:00:00Z", data: { id, text } });
const records = [line("a", "tea"), "", line("b", "漢字 😀"), line("c", "x".repeat(MAX_BYTES)), line("d", "")];
const exported = [
  JSON.stringify({ object: "record", id: "a", stream: "notes", data: {} }),
  JSON.stringify({ object: "export_end", records: 1 }),
  "",
];

const bodies = (lines: readonly string[]) =>
  fc.tuple(mangledBytes(fc.constant(Buffer.from(lines.join("\n")))), anyCuts);

fuzz(
  "lines are the same however their bytes arrive, and none is longer than it may be",
  bodies(records),
  async ([body, cuts]) => {
    const read = (pieces: readonly number[]) =>
      Array.fromAsync(splitLines(inPieces(body, pieces), { max_bytes: MAX_BYTES }));
    const lines = await read(cuts);
    assert.deepEqual(lines, await read([]));
    const kept = lines.flatMap(({ bytes }) => bytes ?? []);
    assert.ok(kept.every(({ length }) => length <= MAX_BYTES));
    assert.ok(Buffer.concat(kept).length <= body.length);
    const numbers = lines.map(({ number }) => number);
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
    );
  },
);

fuzz(
  "each line is a record or a coded refusal that repeats nothing of it",
  bodies(records),
  async ([body]) => {
    for await (const each of splitLines(inPieces(body, []), { max_bytes: MAX_BYTES })) {
      const read = parseLine(each, MAX_BYTES);
      if (!(read instanceof CodedError)) assert.ok(recordEnvelopeSchema.safeParse(read).success);
      else {
        assertCoded(read);
        assert.doesNotMatch(read.message, /tea|漢字/);
      }
    }
  },
);

fuzz(
  "a client reads an export to its end or says that it broke off",
  bodies(exported),
  async ([body, cuts]) => {
    const read = async (pieces: readonly number[]) => {
      const stream = ReadableStream.from(inPieces(body, pieces));
      return Array.fromAsync(readJsonLines(operations.export, new Response(stream)));
    };
    const documents = await settleExport(() => read(cuts));
    assert.deepEqual(documents, await settleExport(() => read([])));
  },
);

/** A server that sends nonsense is a failure of the server, and coded like one. */
async function settleExport<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof CodedError && error.code === "internal_error"))
      await settle(() => Promise.reject(error));
    return undefined;
  }
}
