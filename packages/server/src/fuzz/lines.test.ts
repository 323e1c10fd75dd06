/** Hostile NDJSON uploads: the lines do not depend on how their bytes arrive. */
import assert from "node:assert/strict";
import { recordEnvelopeSchema, splitLines } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import fc from "fast-check";
import { assertCoded, fuzz } from "../../../../testing/fuzz/cases.ts";
import { anyCuts, inPieces, mangledBytes } from "../../../../testing/fuzz/mangled.ts";
import { parseLine } from "../ingest/ingest-lines.ts";

const MAX_BYTES = 400;
const line = (id: string, text: string) =>
  JSON.stringify({ stream: "notes", key: id, emitted_at: "2026-05-01T00:00:00Z", data: { id, text } });
const records = [line("a", "tea"), "", line("b", "漢字 😀"), line("c", "x".repeat(MAX_BYTES)), line("d", "")];

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
