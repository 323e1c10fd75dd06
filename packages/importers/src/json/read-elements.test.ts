import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@rungs/contract";
import { createStreamedFile } from "../read-all.test.ts";
import { type ElementOptions, readElements } from "./read-elements.ts";
import { JSON_VALUE_MAX_BYTES } from "./split-json.ts";

const file = (path: string, text: string) =>
  createStreamedFile(path, async function* () {
    yield Buffer.from(text);
  });

async function read(files: Parameters<typeof readElements>[0], options: Partial<ElementOptions> = {}) {
  const elements = await Array.fromAsync(readElements(files, { noun: "chat", ...options }));
  return elements.map((each) => (each.kind === "element" ? each.value : `${each.place}: ${each.reason}`));
}

test("elements of lists and whole files come one after another", async () => {
  assert.deepEqual(await read([file("a.json", "[1,2]"), file("b.json", '{"x":3}'), file("c.json", "[]")]), [
    1,
    2,
    { x: 3 },
  ]);
});

test("an element over the limit is rejected with its place, and the rest is read", async () => {
  assert.deepEqual(await read([file("a.json", '[1,"long text",2]')], { max_bytes: 8 }), [
    1,
    "a.json, chat 2 at byte 3: It has 11 bytes; the limit is 8.",
    2,
  ]);
});

test("there is a limit by default", async () => {
  const piece = new Uint8Array(1024 * 1024).fill(0x61);
  const large = createStreamedFile("a.json", async function* () {
    yield Buffer.from('[1,"');
    for (let size = 0; size < JSON_VALUE_MAX_BYTES; size += piece.length) yield piece;
    yield Buffer.from('",2]');
  });
  const [first, rejected, last] = await read([large]);
  assert.deepEqual([first, last], [1, 2]);
  assert.match(String(rejected), /chat 2 at byte 3: It has 67108866 bytes/);
});

test("an unreadable file loses its remainder, and not the next file", async () => {
  const torn = createStreamedFile("a.json", async function* () {
    yield Buffer.from("[1,");
    throw new ApiError("file_unreadable", { message: "a.json cannot be read." });
  });
  assert.deepEqual(await read([torn, file("b.json", "[2]")]), [1, "a.json: a.json cannot be read.", 2]);
});

test("reading resumes after a checkpoint, and starts over if its file is gone", async () => {
  const files = [file("a b.json", "[1,2]"), file("c.json", '{"x":3}'), file("d.json", "[4]")];
  assert.deepEqual(await read(files, { resume: "1 a b.json" }), [2, { x: 3 }, 4]);
  assert.deepEqual(await read(files, { resume: "1 c.json" }), [4]);
  assert.deepEqual((await read(files, { resume: "1 gone.json" })).length, 4);
});
