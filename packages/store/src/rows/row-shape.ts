/**
 * Splits a record's data into what its row holds and the texts that are stored in chunks.
 * One rule: a top-level value whose text (a string itself, anything else its JSON) is longer than `INLINE_CHARS`, or than its
 * share of `ROW_CHARS` in a stream of many fields, is cut; references to blobs have no such share. The row keeps its prefix.
 * Values inside a cut object or list have their own paths: as a slice of the JSON text where it contains them verbatim, else as a separate text.
 */
import type { FieldShape, StreamShape } from "@rungs/contract";
import {
  countBytes,
  countChars,
  type FieldPath,
  formatFieldPath,
  isBlobRef,
  MAX_PATH_CHARS,
  sliceChars,
} from "@rungs/evidence";
import type { StoredBytes, StoredCut } from "../store.ts";
import { type EncodedValue, maskEncoded } from "./mask-encoded.ts";
import { digestText, lexicalTexts } from "./record-rows.ts";
import { HEAD_CHARS, INLINE_CHARS, NESTED_PATHS, ROW_CHARS } from "./sizes.ts";

/** A text with its own chunks, or a slice of such a text. */
export interface LongText {
  readonly path: string;
  /** The top-level field, which a grant covers or not. */
  readonly field: string;
  readonly kind: "text" | "json" | "binary";
  readonly text: string;
  /** The offset in the text of the whole field; undefined when this has its own chunks. */
  readonly piece_start?: number;
}

export interface RowShape {
  /** The row's JSON: cut strings as their prefix, encoded bytes as their description, other cut values as null. */
  readonly data: string;
  readonly cuts: readonly StoredCut[];
  readonly texts: readonly LongText[];
  readonly encoded: readonly EncodedValue[];
  /** The data without encoded bytes: what words and meaning are found in. */
  readonly readable: Readonly<Record<string, unknown>>;
}

export function shapeRow(shape: StreamShape, whole: Readonly<Record<string, unknown>>): RowShape {
  const { data, encoded } = maskEncoded(shape, whole);
  const kept: Record<string, unknown> = {};
  const cuts: StoredCut[] = [];
  const texts: LongText[] = encoded.map(({ path, field, text }) => ({ path, field, kind: "binary", text }));
  const most = fieldLimit(shape);
  for (const [name, value] of Object.entries(data)) {
    const limit = isBlobRef(value) ? INLINE_CHARS : most;
    const kind = typeof value === "string" ? "text" : "json";
    const text = typeof value === "string" ? value : mayBeLong(value) ? JSON.stringify(value) : "";
    const path = formatFieldPath([name]);
    const inside = encoded.filter(({ field }) => field === name);
    if (text.length <= limit || countChars(text) <= limit || inside.some((each) => each.path === path)) {
      kept[name] = value;
      cuts.push(...inside.map((each) => cutEncoded(each)));
      continue;
    }
    const head = sliceChars(text, 0, Math.min(HEAD_CHARS, limit));
    cuts.push({
      path,
      kind,
      size_chars: countChars(text),
      size_bytes: countBytes(text),
      digest: digestText(text),
      head,
    });
    kept[name] = kind === "text" ? head : null;
    texts.push({ path, field: name, kind, text });
    if (mayBeLong(value)) {
      const field = shape.fields.find((each) => each.name === name);
      texts.push(...textsInside(value, field, new Set(inside.map((each) => each.path))));
      cuts.push(...locateEncoded(value, name, inside));
    }
  }
  const bytes = new Set(encoded.map(({ path }) => path));
  const readable =
    bytes.size === 0
      ? whole
      : Object.fromEntries(Object.entries(whole).filter(([name]) => !bytes.has(formatFieldPath([name]))));
  return { data: JSON.stringify(kept), cuts, texts, encoded, readable };
}

/** The readable values inside a cut value: all searchable ones, and the first `NESTED_PATHS` others. */
function textsInside(value: object, field: FieldShape | undefined, encoded: ReadonlySet<string>): LongText[] {
  if (!field) return [];
  const texts: LongText[] = lexicalTexts(field, value, encoded).map(({ path, text }) => ({
    path,
    field: field.name,
    kind: "text",
    text,
  }));
  const known = new Set([...texts.map(({ path }) => path), ...encoded]);
  let left = NESTED_PATHS;
  layOutJson(value, [field.name], (inside) => {
    const path = formatFieldPath(inside.path);
    if (inside.value === null || known.has(path) || path.length > MAX_PATH_CHARS) return true;
    texts.push(describeInside(path, field.name, inside));
    left -= 1;
    return left > 0;
  });
  return texts;
}

function describeInside(path: string, field: string, { value, start_char }: LaidOut): LongText {
  // The same characters, by offset in the whole text, without counting from its start.
  if (typeof value !== "string")
    return { path, field, kind: "json", text: JSON.stringify(value), piece_start: start_char };
  const asWritten = JSON.stringify(value) === `"${value}"`;
  return { path, field, kind: "text", text: value, ...(asWritten ? { piece_start: start_char + 1 } : {}) };
}

/** The cuts of encoded strings inside a cut value, with where its text describes each. */
function locateEncoded(value: object, field: string, encoded: readonly EncodedValue[]): StoredCut[] {
  if (encoded.length === 0) return [];
  const byPath = new Map(encoded.map((each) => [each.path, each]));
  const cuts: StoredCut[] = [];
  layOutJson(value, [field], ({ path, start_char: start_chars, end_char: end_chars }) => {
    const found = byPath.get(formatFieldPath(path));
    if (found) cuts.push(cutEncoded(found, { start_chars, end_chars }));
    return cuts.length < encoded.length;
  });
  return cuts;
}

function cutEncoded(
  { path, text, form, blob_id }: EncodedValue,
  shown_at?: StoredBytes["shown_at"],
): StoredCut {
  const size = { size_chars: text.length, size_bytes: text.length, digest: digestText(text) };
  return {
    path,
    kind: "binary",
    ...size,
    head: "",
    bytes: { ...form, blob_id, ...(shown_at && { shown_at }) },
  };
}

/**
 * How long a value may be in its row. This depends on the stream's declaration, never on the record's other values: otherwise
 * a field outside a scope would affect one inside it.
 */
function fieldLimit(shape: StreamShape): number {
  return Math.min(INLINE_CHARS, Math.floor(ROW_CHARS / shape.fields.length));
}

function mayBeLong(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The offsets of values inside a serialized object or list, so that each can be read at its path. */

/** A value inside a serialized one: its text is characters `start_char` to `end_char` of the whole. */
interface LaidOut {
  readonly path: FieldPath;
  readonly value: unknown;
  readonly start_char: number;
  readonly end_char: number;
}

/** Visits the values inside `value` in the order of its compact JSON text, until `visit` returns false. */
function layOutJson(value: object, path: FieldPath, visit: (inside: LaidOut) => boolean): void {
  layOut(value, path, 0, visit);
}

/** Returns the end of the text of `value` that begins at `start`; undefined when `visit` returned false. */
function layOut(
  value: unknown,
  path: FieldPath,
  start: number,
  visit: (inside: LaidOut) => boolean,
): number | undefined {
  if (value === null || typeof value !== "object") return start + countChars(JSON.stringify(value));
  const isList = Array.isArray(value);
  let at = start + 1;
  for (const [name, item] of Object.entries(value)) {
    if (at > start + 1) at += 1;
    if (!isList) at += countChars(JSON.stringify(name)) + 1;
    const inside = [...path, isList ? Number(name) : name];
    const end = layOut(item, inside, at, visit);
    if (end === undefined || !visit({ path: inside, value: item, start_char: at, end_char: end }))
      return undefined;
    at = end;
  }
  return at + 1;
}
