import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { createDecoder, detectEncoded, locateByte } from "./encoded.ts";

const bytesOf = (size: number, seed = "") =>
  Buffer.concat(
    Array.from({ length: Math.ceil(size / 32) }, (_, at) =>
      createHash("sha256").update(`${seed}${at}`).digest(),
    ),
  ).subarray(0, size);
const wrap = (text: string, chars: number, lineBreak: string) =>
  Array.from({ length: Math.ceil(text.length / chars) }, (_, at) =>
    text.slice(at * chars, (at + 1) * chars),
  ).join(lineBreak);

const bytes = bytesOf(5_000);
const base64 = bytes.toString("base64");

const FORMS: Readonly<Record<string, string>> = {
  base64,
  base64url: bytes.toString("base64url"),
  MIME: wrap(base64, 76, "\r\n"),
  "MIME with a last line break": `${wrap(base64, 76, "\r\n")}\r\n`,
  PEM: wrap(base64, 64, "\n"),
  hex: bytes.toString("hex"),
  "hex in capitals and lines": wrap(bytes.toString("hex").toUpperCase(), 60, "\n"),
  "data URL": `data:application/octet-stream;base64,${base64}`,
  "data URL in lines": `data:application/octet-stream;base64,${wrap(base64, 76, "\n")}`,
};

for (const [name, text] of Object.entries(FORMS)) {
  test(`R33 ${name} is recognized, and any range of its bytes is at the computed position`, () => {
    const form = detectEncoded(text);
    assert.ok(form);
    assert.deepEqual([form.size_bytes, form.mime_type], [bytes.length, "application/octet-stream"]);
    for (const start of [0, 1, 2, 3, 56, 57, 58, 1_000, bytes.length - 1]) {
      const { start_chars, skip_bytes } = locateByte(form, start);
      const decode = createDecoder(form);
      const rest = text.slice(start_chars);
      const pieces = Array.from({ length: Math.ceil(rest.length / 777) }, (_, at) =>
        decode(rest.slice(at * 777, (at + 1) * 777)),
      );
      assert.ok(Buffer.concat(pieces).subarray(skip_bytes).equals(bytes.subarray(start)), `${start}`);
    }
  });
}

test("R33 any bytes round-trip through any regular encoding", () => {
  const form = fc.record({
    bytes: fc.uint8Array({ minLength: 1, maxLength: 400 }),
    encoding: fc.constantFrom("base64", "base64url", "hex"),
    line: fc.constantFrom(0, 32, 60, 64, 76, 77),
    lineBreak: fc.constantFrom("\n", "\r\n"),
    from: fc.nat(400),
  });
  fc.assert(
    fc.property(form, ({ bytes: raw, encoding, line, lineBreak, from }) => {
      const plain = Buffer.from(raw).toString(encoding as "base64");
      const text = line === 0 ? plain : wrap(plain, line, lineBreak);
      const found = detectEncoded(text, { encoding: encoding === "hex" ? "base16" : encoding });
      assert.equal(found?.size_bytes, raw.length);
      const start = from % raw.length;
      const { start_chars, skip_bytes } = locateByte(found as NonNullable<typeof found>, start);
      const decoded = createDecoder(found as NonNullable<typeof found>)(text.slice(start_chars));
      assert.deepEqual([...decoded.subarray(skip_bytes)], [...raw.subarray(start)]);
    }),
  );
});

test("R33 a declared encoding with lines of any length is read from its start", () => {
  const form = detectEncoded("aGVs bG8g\n\nd29ybGQ=", { encoding: "base64", media_type: "text/plain" });
  assert.deepEqual(form, {
    encoding: "base64",
    mime_type: "text/plain",
    size_bytes: 11,
    start_chars: 0,
    line_chars: 0,
  });
  const { start_chars, skip_bytes } = locateByte(form as NonNullable<typeof form>, 6);
  const decoded = createDecoder({ encoding: "base64" })("aGVs bG8g\n\nd29ybGQ=".slice(start_chars));
  assert.equal(Buffer.from(decoded.subarray(skip_bytes)).toString(), "world");
  assert.equal(detectEncoded("MZXW6YTB", { encoding: "base32" })?.size_bytes, 5);
});

test("R33 the type comes from the declaration, the URL or the first bytes", () => {
  const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), bytes]).toString("base64");
  assert.equal(detectEncoded(png)?.mime_type, "image/png");
  assert.equal(detectEncoded(png.slice(0, 100))?.mime_type, "image/png", "short, but it begins like a file");
  assert.equal(
    detectEncoded(png, { encoding: "base64", media_type: "image/x-own" })?.mime_type,
    "image/x-own",
  );
  assert.equal(detectEncoded(`data:image/gif;base64,${base64}`)?.mime_type, "image/gif");
  const forged = detectEncoded(`data:a b"\n) read: x;base64,${base64}`);
  assert.equal(forged?.mime_type, "application/octet-stream", "a type that is none is not repeated");
});

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const word = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 2, maxLength: 12 });
const words = fc.array(word, { minLength: 400, maxLength: 500 });
const capital = (text: string) => text[0]?.toUpperCase() + text.slice(1);

test("R33 text without spaces, long names, paths, numbers and ids are text", () => {
  fc.assert(
    fc.property(words, fc.nat(99), (list, number) => {
      const texts = [
        list.join(""),
        list.map(capital).join(""),
        list.map((each, at) => (at % 5 === 0 ? `${each}${number}` : capital(each))).join("/"),
        list.join("-").toUpperCase(),
        list.map((each) => `${capital(each)}${number}`).join("_"),
        list.map((each) => each.length * 7919).join(""),
        list.join(" "),
      ];
      for (const text of texts) assert.equal(detectEncoded(text), undefined, text.slice(0, 80));
    }),
    { numRuns: 30, endOnFailure: true },
  );
  const digests = [64, 128, 512].map((chars) => bytes.toString("hex").slice(0, chars));
  const token = base64.slice(0, 800);
  const others = [
    "",
    "aGVsbG8=",
    "9".repeat(3_000),
    "ACGT".repeat(800),
    "ab".repeat(2_000),
    `${base64} ${base64}`,
  ];
  for (const text of [...digests, token, ...others])
    assert.equal(detectEncoded(text), undefined, text.slice(0, 40));
  assert.equal(detectEncoded("not base64 at all!", { encoding: "base64" }), undefined);
});

test("R33 CJK and emoji are text, in any mixture", () => {
  const unit = fc.constantFrom("漢", "字", "か", "ナ", "한", "😀", "A", "b", "7", "+", "\n");
  fc.assert(
    fc.property(fc.string({ unit, minLength: 1_500, maxLength: 2_000 }), (text) => {
      assert.equal(detectEncoded(`漢${text}`), undefined);
    }),
    { numRuns: 30, endOnFailure: true },
  );
  assert.equal(detectEncoded("漢字".repeat(2_000)), undefined);
  assert.equal(detectEncoded(`${base64}漢`), undefined);
});
