import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../../testing/arbitraries.ts";
import { countJsonBytes } from "../text/budget.ts";
import { countChars, sliceChars } from "../text/code-points.ts";
import { contentLadderSchema } from "./ladder.ts";
import { createRecordRung } from "./record-ladder.ts";
import { type RecordSource, viewRecord } from "./record-view.ts";

const ref = { connection_id: "acct-1", stream: "messages", record_id: "a" };
const id = "acct-1/messages:a";
const base64 = Array.from({ length: 400 }, (_, at) =>
  Buffer.from(`${at * 7919}z`).toString("base64url"),
).join("");
const blob = { blob_id: "b1", mime_type: "image/png", size_bytes: 5, sha256: "00" };
const cut = { size_chars: 9000, size_bytes: 9001, digest: "sha256:11" };

function view(data: Record<string, unknown>, more: Partial<RecordSource> = {}) {
  const seen = viewRecord({ ref, data, cuts: [], shapes: [], budget_bytes: 5000, ...more });
  const field = (path: string) => seen.fields.find((one) => one.path === path) ?? assert.fail(path);
  return { ...seen, field };
}

const readFrom = (field_path: string, offset_chars: number) => ({
  operation: "read_record_field",
  args: { id, field_path, offset_chars },
});

test("R30 a small record is shown whole, with nothing to read on", () => {
  const data = { subject: "Lunch", count: 3, read: false, gone: null, tags: ["a", "b"] };
  const { record, complete, fields } = view(data);
  assert.deepEqual(record, { id, ...ref });
  assert.equal(complete, true);
  assert.deepEqual(
    fields.map(({ path, kind, preview, status, next }) => [path, kind, preview, status, next]),
    [
      ["subject", "text", "Lunch", "complete", undefined],
      ["count", "number", "3", "complete", undefined],
      ["read", "boolean", "false", "complete", undefined],
      ["gone", "null", "null", "complete", undefined],
      ["tags", "json", '["a","b"]', "complete", undefined],
    ],
  );
});

test("R31 a field that the store cut shows its prefix, its size, and the call that reads on from there", () => {
  const seen = view({ body: "head" }, { cuts: [{ path: "body", kind: "text", prefix: "head", ...cut }] });
  const { status, preview, size_chars, size_bytes, digest, next } = seen.field("body");
  assert.deepEqual(
    { status, preview, size_chars, size_bytes, digest },
    { status: "truncated", preview: "head", ...cut },
  );
  assert.deepEqual(next, readFrom("body", 4));
  assert.equal(seen.complete, false);
});

test("R34 large JSON shows a prefix of its serialized text and reads on in it", () => {
  const seen = view(
    { payload: null },
    { cuts: [{ path: "payload", kind: "json", prefix: '{"a":', ...cut }] },
  );
  const { kind, status, preview, next } = seen.field("payload");
  assert.deepEqual([kind, status, preview], ["json", "truncated", '{"a":']);
  assert.deepEqual(next, readFrom("payload", 5));
});

test("R26 R31 a nested value that was cut has its own next call, and the field that holds it is not complete", () => {
  const data = { payload: { parts: [{ text: "head" }], note: "x" } };
  const seen = view(data, {
    cuts: [{ path: "payload.parts[0].text", kind: "text", prefix: "head", ...cut }],
  });
  const payload = seen.field("payload");
  assert.equal(payload.status, "truncated");
  assert.equal(payload.preview, '{"parts":[{"text":"head…"}],"note":"x"}');
  assert.deepEqual(payload.next, readFrom("payload.parts[0].text", 4));
  assert.deepEqual(seen.field("payload.parts[0].text").next, readFrom("payload.parts[0].text", 4));
});

test("R33 blobs and encoded bytes are metadata only, at any depth", () => {
  const data = { picture: blob, raw: base64, small: "aGVsbG8=", nested: { raw: base64, blob } };
  const seen = view(data, { shapes: [{ name: "small", encoding: "base64", media_type: "text/plain" }] });
  assert.ok(!JSON.stringify(seen).includes(base64.slice(0, 40)));
  assert.deepEqual(seen.field("picture").next, { operation: "read_blob", args: { blob_id: "b1" } });
  assert.deepEqual(seen.field("picture").binary, blob);
  assert.equal(seen.field("raw").status, "binary-only");
  assert.deepEqual(seen.field("small").binary, { mime_type: "text/plain", size_bytes: 5 });
  assert.equal(seen.field("nested").status, "truncated");
  assert.equal(seen.field("nested.raw").status, "binary-only");
  assert.deepEqual(seen.field("nested.blob").next, { operation: "read_blob", args: { blob_id: "b1" } });
  assert.equal(seen.complete, false);
});

test("R33 a cut value is recognized as binary by its prefix", () => {
  const head = base64.slice(0, 300);
  const seen = view({ raw: head }, { cuts: [{ path: "raw", kind: "text", prefix: head, ...cut }] });
  assert.deepEqual([seen.field("raw").status, seen.field("raw").preview], ["binary-only", ""]);
});

test("R31 previews share the budget: short fields stay whole, long ones say what is cut", () => {
  const seen = view(
    { long: "word ".repeat(2000), short: "tea", longer: "x".repeat(9000) },
    { budget_bytes: 1000 },
  );
  assert.equal(seen.field("short").status, "complete");
  for (const path of ["long", "longer"]) {
    const { status, preview, next, size_chars } = seen.field(path);
    assert.equal(status, "truncated");
    assert.ok(preview.length > 400 && preview.length <= 500);
    assert.deepEqual(next, readFrom(path, preview.length));
    assert.ok(size_chars! >= 9000);
  }
});

test("R31 a short JSON value that is incomplete reads on in its nested value, and numbers are never cut", () => {
  const data = { payload: { text: "head", note: "x".repeat(500) }, count: 123456 };
  const cuts = [{ path: "payload.text", kind: "text", prefix: "head", ...cut } as const];
  const seen = view(data, { cuts, budget_bytes: 100 });
  assert.ok(seen.field("payload").preview.length < 100);
  assert.deepEqual(seen.field("payload").next, readFrom("payload.text", 4));
  assert.deepEqual(view(data, { budget_bytes: 0 }).field("count").preview, "123456");
});

test("R31 for any record and budget: previews fit, are prefixes of their text, and only whole text is complete", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), anyText, { maxKeys: 6 }),
      fc.nat(2000),
      (data, budget_bytes) => {
        const { fields } = view(data, { budget_bytes });
        const bytes = fields.reduce((sum, field) => sum + countJsonBytes(field.preview), 0);
        assert.ok(bytes <= budget_bytes);
        for (const { path, preview, status, next, size_chars } of fields) {
          const text = String(data[path]);
          assert.equal(size_chars, countChars(text));
          assert.equal(preview, sliceChars(text, 0, countChars(preview)));
          assert.equal(status, preview === text ? "complete" : "truncated");
          assert.deepEqual(next, status === "complete" ? undefined : readFrom(path, countChars(preview)));
        }
      },
    ),
  );
});

test("R36 fields with a declared role come first", () => {
  const { fields } = view(
    { z: 1, subject: "Lunch" },
    { shapes: [{ name: "subject", role: "primary-title" }] },
  );
  assert.deepEqual(
    fields.map((field) => [field.path, field.role]),
    [
      ["subject", "primary-title"],
      ["z", undefined],
    ],
  );
});

test("R37 the ladder has the record's identity and every field that is long, cut or binary", () => {
  const data = { subject: "Lunch", body: "head", picture: blob, essay: "word ".repeat(900) };
  const cuts = [{ path: "body", kind: "text", prefix: "head", ...cut } as const];
  const rung = createRecordRung(
    view(data, { cuts, shapes: [{ name: "body", media_type: "text/plain" }], budget_bytes: 9000 }),
  );
  assert.ok(contentLadderSchema.safeParse({ records: [rung] }).success);
  assert.deepEqual(rung.fields, [
    {
      path: "body",
      type: "text",
      mime_type: "text/plain",
      size_grade: "medium",
      text_like: true,
      ...cut,
      preview_status: "truncated",
      next: readFrom("body", 4),
    },
    {
      path: "picture",
      type: "blob",
      mime_type: "image/png",
      size_grade: "small",
      text_like: false,
      size_bytes: 5,
      preview_status: "binary-only",
      digest: "00",
      next: { operation: "read_blob", args: { blob_id: "b1" } },
    },
    {
      path: "essay",
      type: "text",
      size_grade: "medium",
      text_like: true,
      size_chars: 4500,
      size_bytes: 4500,
      preview_status: "complete",
    },
  ]);
});
