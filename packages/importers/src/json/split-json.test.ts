import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { type JsonItem, type SplitOptions, splitJson } from "./split-json.ts";

const elements: SplitOptions = {
  choose: (path, kind) => (path.length === 0 && kind === "array" ? "enter" : "take"),
};

async function* cut(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  // One buffer for all pieces, like a reader that reuses its memory.
  const memory = new Uint8Array(Math.max(1, bytes.length));
  for (let from = 0, turn = 0; from < bytes.length; turn += 1) {
    const size = sizes[turn % Math.max(1, sizes.length)] ?? bytes.length;
    memory.set(bytes.subarray(from, from + size));
    yield memory.subarray(0, Math.min(size, bytes.length - from));
    from += size;
  }
}

async function split(text: string, options = elements, sizes: number[] = []): Promise<JsonItem[]> {
  return Array.fromAsync(splitJson(cut(Buffer.from(text), sizes), options));
}

const json = fc.jsonValue({ maxDepth: 4 });
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

test("the elements of any list equal those of JSON.parse, however the bytes are split", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(json), sizes, fc.constantFrom(0, 2), async (list, sizes, indent) => {
      const text = JSON.stringify(list, undefined, indent);
      const pieces = await split(text, elements, sizes);
      const expected = JSON.parse(text) as unknown[];
      assert.deepEqual(
        pieces.map((piece) => piece.kind === "value" && piece.value),
        expected,
      );
      assert.deepEqual(
        pieces.map(({ path }) => path),
        expected.map((_, at) => [at]),
      );
    }),
  );
});

test("any bytes yield the same pieces, however they are split, and never an exception", async () => {
  const noise = fc.array(fc.constantFrom(...'[]{}",:\\ ', "1", "a", "é", '{"a":1}', "[[]]"), {
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(noise, sizes, async (parts, sizes) => {
      const text = parts.join("");
      assert.deepEqual(await split(text, elements, sizes), await split(text));
    }),
  );
});

test("a document other than a list is one value, a scalar at its end too", async () => {
  for (const text of ['{"a":[1]}', "12", '"x"', " null \n"]) {
    assert.deepEqual(
      (await split(text, elements, [1])).map((piece) => piece.kind === "value" && piece.value),
      [JSON.parse(text)],
    );
  }
});

test("values deep inside are found by their path, and skipped values are not parsed", async () => {
  const text = '{"about":{"x":[1,"]}"]},"list":[{"name":"é","m":[1,{"z":2}]},{"m":[]}],"end":[nonsense]}';
  const pieces = await split(text, {
    choose: ([first, , third, fourth]) =>
      first === "about" || first === "end"
        ? "skip"
        : third === "name" || fourth !== undefined
          ? "take"
          : "enter",
  });
  assert.deepEqual(
    pieces.map((piece) => [piece.path.join("."), piece.kind === "value" && piece.value]),
    [
      ["list.0.name", "é"],
      ["list.0.m.0", 1],
      ["list.0.m.1", { z: 2 }],
    ],
  );
});

test("a byte order mark is skipped", async () => {
  assert.deepEqual((await split("\ufeff[1]", elements, [1])).length, 1);
});

suite("what cannot be read", () => {
  test("is a single element if only that is broken, with its place", async () => {
    const pieces = await split('[{"a":1},{"a":tru},{"b":2}]');
    assert.deepEqual(
      pieces.map(({ kind, at_byte }) => [kind, at_byte]),
      [
        ["value", 1],
        ["problem", 9],
        ["value", 19],
      ],
    );
  });

  test("is the rest of a file that ends too early or is not JSON, reported once", async () => {
    for (const text of ["", "[", '[{"a":1}', '[{"a":1},{"b":', "[1 2", "[1,]x", "{]", '{"a" 1}', "[,1]"]) {
      const problems = (
        await split(text, { choose: (_, kind) => (kind === "scalar" ? "take" : "enter") })
      ).filter(({ kind }) => kind === "problem");
      assert.equal(problems.length, 1, text);
    }
  });

  test("is an element over the limit, which is not held", async () => {
    const size = 64 * 1024;
    const count = 2048;
    const filling = new Uint8Array(size).fill(97);
    async function* large(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('[1,{"a":"');
      for (let at = 0; at < count; at += 1) yield filling;
      yield Buffer.from('"},2]');
    }
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    async function* watched(): AsyncGenerator<Uint8Array> {
      for await (const piece of large()) {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
        yield piece;
      }
    }
    const pieces = await Array.fromAsync(splitJson(watched(), { ...elements, max_bytes: 1024 * 1024 }));
    assert.deepEqual(
      pieces.map(({ kind }) => kind),
      ["value", "problem", "value"],
    );
    assert.match((pieces[1] as { reason: string }).reason, /It has 134217736 bytes; the limit is 1048576/);
    assert.ok(most < 16 * 1024 * 1024, `${most} bytes were held`);
  });
});
