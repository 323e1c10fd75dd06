/** Nearly valid values: valid ones truncated, duplicated, swapped and mixed with unexpected pieces. */
import fc from "fast-check";
import { anyChar } from "../any-char.ts";

/** Pieces that some parser misinterprets. */
const PIECES = [
  "",
  " ",
  "\t",
  "\n",
  "\r\n",
  "\u0000",
  "\u001b[31m",
  "\u2028",
  "\u202e",
  "\ufeff",
  "\ud800",
  "\udfff",
  "😀",
  "e\u0301",
  "漢字",
  "ß",
  "İ",
  "0",
  "-1",
  "1e9",
  "99999999999999999999",
  "NaN",
  "null",
  "__proto__",
  "constructor",
  ".",
  "..",
  "/",
  "\\",
  "%2e",
  "%",
  "[",
  "]",
  "{",
  "}",
  '"',
  "'",
  "`",
  "*",
  "=",
  ":",
  ";",
  ",",
  "<",
  "-->",
  "<!--",
  "&#0;",
  "pdpp://record/",
  "From ",
  "BEGIN:",
  "--",
  "[".repeat(300),
  "a".repeat(600),
] as const;

/** Any text, with many pieces that some parser misinterprets. */
export const anyText = fc.oneof(
  fc.string({ unit: anyChar, maxLength: 60 }),
  fc.string({ maxLength: 60 }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join("")),
);

type TextEdit = readonly [at: number, take: number, put: string];

const textEdit: fc.Arbitrary<TextEdit> = fc.tuple(
  fc.nat(),
  fc.oneof(fc.nat(3), fc.nat(400)),
  fc.constantFrom(...PIECES, "\u0000again"),
);

/** A text with one to four places changed. */
export function mangledText(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(text, fc.array(textEdit, { maxLength: 4 }))
    .map(([whole, edits]) => edits.reduce(editText, whole));
}

/** Replaces some characters with a piece; the piece `\0again` duplicates them instead. */
function editText(text: string, [place, take, put]: TextEdit): string {
  const at = place % (text.length + 1);
  const piece = put === "\u0000again" ? text.slice(at, at + take + 20) : put;
  return text.slice(0, at) + piece + text.slice(at + (put === "\u0000again" ? 0 : take));
}

/** Bytes with one to four places changed. */
export function mangledBytes(bytes: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Buffer> {
  const latin = bytes.map((each) => Buffer.from(each).toString("latin1"));
  const noise = fc.tuple(fc.nat(), fc.nat(8), fc.uint8Array({ maxLength: 8 }));
  return fc.tuple(mangledText(latin), fc.array(noise, { maxLength: 3 })).map(([text, edits]) => {
    const put = (whole: string, [place, take, piece]: [number, number, Uint8Array]) => {
      const at = place % (whole.length + 1);
      return whole.slice(0, at) + Buffer.from(piece).toString("latin1") + whole.slice(at + take);
    };
    return Buffer.from(edits.reduce(put, text), "latin1");
  });
}

/** Numbers that are unexpected as sizes, counts and offsets. */
const NUMBERS = [
  0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff,
];

/** Bytes with one to six numbers overwritten, half of them by bytes from elsewhere in the file; the length stays. */
export function overwrittenBytes(bytes: Uint8Array): fc.Arbitrary<Buffer> {
  const number = fc.tuple(fc.constantFrom(...NUMBERS), fc.constantFrom(1, 2, 4)).map(([value, size]) => {
    const piece = Buffer.alloc(4);
    piece.writeUInt32LE(value);
    return piece.subarray(0, size);
  });
  const copied = fc
    .tuple(fc.nat(bytes.length - 1), fc.constantFrom(1, 4, 8, 64))
    .map(([from, size]) => Buffer.from(bytes.subarray(from, from + size)));
  const edit = fc.tuple(fc.nat(bytes.length - 1), fc.oneof(number, copied));
  return fc.array(edit, { minLength: 1, maxLength: 6 }).map((edits) => {
    const spoiled = Buffer.from(bytes);
    for (const [at, piece] of edits) piece.copy(spoiled, at);
    return spoiled;
  });
}

/** Any JSON value, some deeper than every limit. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 4, arbitrary: anyText },
  { weight: 2, arbitrary: fc.constantFrom(-1, 0, 1.5, 2 ** 53, 1e308, true, false, null, [], {}, "") },
  { weight: 1, arbitrary: fc.nat(1_500).map((depth) => nest(depth)) },
);

function nest(depth: number): unknown {
  let value: unknown = "deep";
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { items: value };
  return value;
}

interface JsonEdit {
  readonly at: number;
  readonly kind: "replace" | "remove" | "rename" | "double" | "add";
  readonly value: unknown;
  readonly name: string;
}

const jsonEdit: fc.Arbitrary<JsonEdit> = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom("replace", "replace", "remove", "rename", "double", "add"),
  value: anyJson,
  name: anyText,
});

/** A JSON document with up to three members replaced, removed, renamed, doubled or added. */
export function mangledJson(document: unknown): fc.Arbitrary<unknown> {
  return fc.array(jsonEdit, { minLength: 1, maxLength: 3 }).map((edits) => {
    const copy = structuredClone(document);
    for (const edit of edits) applyEdit(copy, edit);
    return copy;
  });
}

type Container = Record<string, unknown> | unknown[];

function applyEdit(root: unknown, { at, kind, value, name }: JsonEdit): void {
  const places = listPlaces(root);
  const place = places[at % Math.max(1, places.length)];
  if (!place) return;
  const { parent, key } = place;
  if (Array.isArray(parent)) {
    const index = Number(key);
    if (kind === "remove") parent.splice(index, 1);
    else if (kind === "double" || kind === "add") parent.push(kind === "add" ? value : parent[index]);
    else parent[index] = value;
  } else {
    if (kind === "rename") define(parent, name, parent[key]);
    if (kind === "add" || kind === "double") define(parent, name, kind === "add" ? value : parent[key]);
    if (kind === "remove" || kind === "rename") delete parent[key];
    if (kind === "replace") parent[key] = value;
  }
}

/** As `JSON.parse` does: `__proto__` becomes an ordinary member. */
function define(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

function listPlaces(root: unknown): { parent: Container; key: string }[] {
  const places: { parent: Container; key: string }[] = [];
  const waiting = [root];
  for (let parent = waiting.pop(); parent !== undefined && places.length < 2_000; parent = waiting.pop()) {
    if (parent === null || typeof parent !== "object") continue;
    for (const [key, member] of Object.entries(parent)) {
      places.push({ parent: parent as Container, key });
      if (member !== undefined) waiting.push(member);
    }
  }
  return places;
}

/** Bytes split at arbitrary offsets, as they may arrive. */
export async function* inPieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  for (const [index, end] of [...places, bytes.length].entries()) {
    yield bytes.slice(places[index - 1] ?? 0, end);
  }
}

/** The offsets to split at. */
export const anyCuts = fc.array(fc.nat(), { maxLength: 6 });
