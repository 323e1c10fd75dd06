/** Hostile NDJSON downloads: an export is read to its end or fails with a code. */
import assert from "node:assert/strict";
import { ApiError, operations } from "@rungs/contract";
import fc from "fast-check";
import { fuzz, settle } from "../../../testing/fuzz/cases.ts";
import { anyCuts, inPieces, mangledBytes } from "../../../testing/fuzz/mangled.ts";
import { readJsonLines } from "./json-lines.ts";

const BROKEN = new Set(["internal_error", "unexpected_answer"]);

const exported = [
  JSON.stringify({ object: "record", id: "a", stream: "notes", data: {} }),
  JSON.stringify({ object: "export_end", records: 1 }),
  "",
];

const bodies = fc.tuple(mangledBytes(fc.constant(Buffer.from(exported.join("\n")))), anyCuts);

fuzz("a client reads an export to its end or says that it broke off", bodies, async ([body, cuts]) => {
  const read = async (pieces: readonly number[]) => {
    const stream = ReadableStream.from(inPieces(body, pieces));
    return Array.fromAsync(
      readJsonLines(operations.export, new Response(stream), { last_line: "export_end" }),
    );
  };
  const documents = await settleExport(() => read(cuts));
  assert.deepEqual(documents, await settleExport(() => read([])));
});

/** Nonsense from a server is a server failure, and gets the code of one. */
async function settleExport<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ApiError && BROKEN.has(error.code))) await settle(() => Promise.reject(error));
    return undefined;
  }
}
