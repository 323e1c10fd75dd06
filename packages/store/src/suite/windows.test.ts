import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { anyChar } from "../../../../testing/any-char.ts";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, refOf, scopeOver } from "../../../../testing/store/world.ts";
import { PIECES } from "../../../../testing/texts.ts";
import type { FieldSlice, Store, StoredRef } from "../store.ts";

/** Well-formed text of up to a few chunks, made of a few repeated pieces. */
const longText = fc
  .array(fc.tuple(fc.constantFrom(...PIECES), fc.integer({ min: 1, max: 1500 })), {
    minLength: 1,
    maxLength: 12,
  })
  .map((pieces) => pieces.map(([piece, count]) => piece.repeat(count)).join(""));

/** Well-formed text with any code points, mixed finely. */
const mixedText = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: anyChar, maxLength: 4 })), {
    maxLength: 400,
    size: "max",
  })
  .map((pieces) => pieces.join(""));

testOnEachEngine(
  "R22 a window is the code points of its range, for any text and any range",
  async ({ store }) => {
    await createOwner(store);
    const ranges = fc.array(fc.tuple(fc.nat(), fc.nat(9_000)), { minLength: 4, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.oneof(longText, mixedText), ranges, async (text, some) => {
        await ingest(store, [message("a", { body: text })]);
        const chars = Array.from(text);
        for (const [at, length] of some) {
          const start = at % (chars.length + 2);
          const slice = await readBody(store, start, start + length);
          const from = Math.min(start, chars.length);
          assert.equal(slice.text, chars.slice(from, start + length).join(""));
          assert.deepEqual(
            [slice.start_chars, slice.end_chars],
            [from, Math.max(from, Math.min(chars.length, start + length))],
          );
          assertFacts(slice, text);
        }
      }),
      { numRuns: 30, endOnFailure: true },
    );
  },
);

testOnEachEngine("R22 joined windows of any size are the field, byte for byte", async ({ store }) => {
  await createOwner(store);
  await fc.assert(
    fc.asyncProperty(longText, fc.integer({ min: 50, max: 5_000 }), async (text, step) => {
      await ingest(store, [message("a", { body: text })]);
      const forward: string[] = [];
      const size = Array.from(text).length;
      for (let start = 0; start < size; start += step)
        forward.push((await readBody(store, start, start + step)).text);
      assert.ok(Buffer.from(forward.join("")).equals(Buffer.from(text)));
    }),
    { numRuns: 8, endOnFailure: true },
  );
});

testOnEachEngine("R22 a byte order mark anywhere in a text is kept", async ({ store }) => {
  await createOwner(store);
  const text = "\ufeff".repeat(3) + "\ufeff,".repeat(6_000);
  await ingest(store, [message("a", { body: text, subject: "\ufeffshort" })]);
  for (const start of [0, 1, 4_095, 4_096, 4_097, 8_192]) {
    assert.equal((await readBody(store, start, start + 5)).text, text.slice(start, start + 5));
  }
  const subject = await store.readField(scopeOver(), refOf("a"), "subject", { start: 0, end: 2 });
  assert.equal(subject?.text, "\ufeffs");
});

testOnEachEngine(
  "R22 sizes and digests are those of the text, at every length around the limits",
  async ({ store }) => {
    await createOwner(store);
    const texts = [0, 1, 4_095, 4_096, 4_097, 8_192, 8_193].flatMap((length) => [
      "x".repeat(length),
      "é ".repeat(length).slice(0, length),
      "😀".repeat(length),
    ]);
    await ingest(
      store,
      texts.map((body, at) => message(`t${at}`, { body })),
    );
    for (const [at, text] of texts.entries()) {
      const ref = refOf(`t${at}`);
      const facts = await store.describeField(scopeOver(), ref, "body");
      assert.ok(facts);
      assertFacts(facts, text);
      const size = facts.size_chars;
      const last = await store.readField(scopeOver(), ref, "body", {
        start: Math.max(0, size - 3),
        end: size + 5,
      });
      assert.deepEqual(Array.from(last?.text ?? ""), Array.from(text).slice(-3));
      assert.equal(last?.end_chars, size);
    }
  },
);

testOnEachEngine("R22 a range past the end is empty and reports where the end is", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [message("a", { subject: "short", body: "x".repeat(9_000) })]);
  for (const [path, size] of [
    ["subject", 5],
    ["body", 9_000],
  ] as const) {
    const slice = await store.readField(scopeOver(), refOf("a"), path, { start: 10_000, end: 10_005 });
    assert.deepEqual(
      [slice?.text, slice?.start_chars, slice?.end_chars, slice?.size_chars],
      ["", size, size, size],
    );
  }
});

testOnEachEngine(
  "R51 a field is read only through a scope that covers field, record, time and key",
  async ({ store }) => {
    await createOwner(store);
    const sent_at = "2026-03-01T00:00:00Z";
    const time = Date.parse(sent_at);
    await ingest(store, [message("a", { subject: "s", body: "b".repeat(9_000), sent_at })]);
    const covered = [
      {},
      { time: { since_ms: time } },
      { time: { until_ms: time + 1 } },
      { record_ids: ["a", "z"] },
    ];
    const outside = [
      { fields: ["id", "note"] },
      { fields: [] },
      { time: { since_ms: time + 1 } },
      { time: { until_ms: time } },
      { record_ids: ["z"] },
      { record_ids: [] },
      { connection_id: "work" },
      { stream: "events" },
    ];
    for (const [limits, readable] of [
      ...covered.map((one) => [one, true] as const),
      ...outside.map((one) => [one, false] as const),
    ]) {
      for (const path of ["subject", "body"]) {
        const scope = scopeOver("messages", limits);
        const title = `${path} under ${JSON.stringify(limits)}`;
        assert.equal(
          (await store.readField(scope, refOf("a"), path, { start: 0, end: 1 })) !== undefined,
          readable,
          title,
        );
        assert.equal((await store.describeField(scope, refOf("a"), path)) !== undefined, readable, title);
      }
    }
  },
);

async function readBody(
  store: Store,
  start: number,
  end: number,
  ref: StoredRef = refOf("a"),
): Promise<FieldSlice> {
  const slice = await store.readField(scopeOver(), ref, "body", { start, end });
  assert.ok(slice);
  return slice;
}

function assertFacts(
  facts: { size_chars: number; size_bytes: number; digest: string; kind: string },
  text: string,
): void {
  assert.equal(facts.kind, "text");
  assert.equal(facts.size_chars, Array.from(text).length);
  assert.equal(facts.size_bytes, Buffer.byteLength(text));
  assert.equal(facts.digest, `sha256:${createHash("sha256").update(text).digest("hex")}`);
}
