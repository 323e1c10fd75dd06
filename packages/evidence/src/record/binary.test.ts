import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { describeBinaryText, describeBlob, isBinaryText } from "./binary.ts";
import { classifyValue, gradeSize, isTextLike } from "./field-kind.ts";

const bytes = Buffer.concat(
  Array.from({ length: 40 }, (_, at) => createHash("sha256").update(`${at}`).digest()),
);
const base64 = bytes.toString("base64");
const blob = { blob_id: "b1", mime_type: "image/png", size_bytes: 5, sha256: "00" };

test("R33 long base64, base64url, hex, data URLs and declared encodings are binary", () => {
  assert.ok(isBinaryText(base64));
  assert.ok(isBinaryText(bytes.toString("base64url")));
  assert.ok(isBinaryText(bytes.toString("hex")));
  assert.ok(isBinaryText("data:image/png;base64,iVBORw0KGgo="));
  assert.ok(isBinaryText("aGVsbG8=", "base64"));
  assert.ok(isBinaryText(base64.slice(0, 200), undefined, base64.length), "by its head");
});

test("R33 text is not binary because it is long, has no spaces, or is short base64", () => {
  const prose = "It was the best of times, it was the worst of times. ".repeat(100);
  const texts = [
    prose,
    "aGVsbG8=",
    base64.slice(0, 1000),
    "ACGT".repeat(500),
    "9".repeat(2000),
    "a".repeat(2000),
    "ab".repeat(2000),
    "漢字".repeat(2000),
    `${base64} ${base64}`,
    "loremipsum".repeat(300),
  ];
  for (const text of texts) assert.ok(!isBinaryText(text), text.slice(0, 40));
  assert.ok(!isBinaryText(prose, "quoted-printable"));
});

test("R33 binary text is described by its type and its size in bytes", () => {
  assert.deepEqual(describeBinaryText(base64), {
    mime_type: "application/octet-stream",
    size_bytes: bytes.length,
  });
  assert.equal(describeBinaryText(bytes.toString("hex")).size_bytes, bytes.length);
  assert.deepEqual(describeBinaryText("data:image/png;base64,aGVsbG8="), {
    mime_type: "image/png",
    size_bytes: 5,
  });
  assert.deepEqual(describeBinaryText("aGVsbG8=", "text/plain"), { mime_type: "text/plain", size_bytes: 5 });
  assert.equal(describeBinaryText(base64.slice(0, 200), undefined, 4000).size_bytes, 3000);
});

test("R33 a blob is described by the record's metadata, without its address", () => {
  assert.deepEqual(describeBlob({ ...blob, fetch_url: "https://x", filename: "a.png" }), {
    ...blob,
    filename: "a.png",
  });
  assert.deepEqual(describeBlob(blob), blob);
});

test("a value is classified by what it is, and by its declared encoding", () => {
  const cases: [unknown, string][] = [
    ["tea", "text"],
    [base64, "binary"],
    [1.5, "number"],
    [true, "boolean"],
    [null, "null"],
    [undefined, "null"],
    [{ a: 1 }, "json"],
    [[1, 2], "json"],
    [blob, "blob"],
    [{ ...blob, size_bytes: "5" }, "json"],
  ];
  for (const [value, kind] of cases) assert.equal(classifyValue(value), kind);
  assert.equal(classifyValue("aGVsbG8=", { encoding: "base64" }), "binary");
  assert.deepEqual([isTextLike("json"), isTextLike("text"), isTextLike("blob")], [true, true, false]);
});

test("R37 sizes are graded", () => {
  const sizes = [0, 4096, 4097, 65_536, 65_537, 1_048_576, 1_048_577];
  assert.deepEqual(sizes.map(gradeSize), ["small", "small", "medium", "medium", "large", "large", "huge"]);
});
