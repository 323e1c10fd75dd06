/** Takes strings that encode bytes out of a record's data (R33): a description replaces them, and their text is stored separately. */
import { createHash } from "node:crypto";
import type { StreamShape } from "@rungs/contract";
import {
  createDecoder,
  type DeclaredContent,
  detectEncoded,
  type EncodedBytes,
  type FieldPath,
  formatFieldPath,
  MAX_PATH_CHARS,
} from "@rungs/evidence";
import { ENCODED_VALUES } from "./sizes.ts";

/** A string that encodes bytes. */
export interface EncodedValue {
  readonly path: string;
  /** The top-level field, which a grant covers or not. */
  readonly field: string;
  readonly text: string;
  readonly form: EncodedBytes;
  /** The SHA-256 of the bytes. */
  readonly blob_id: string;
  /** What the data holds in its place. */
  readonly shown: string;
}

/** A record's data without encoded bytes, and the strings that were taken out. */
export interface MaskedData {
  readonly data: Readonly<Record<string, unknown>>;
  readonly encoded: readonly EncodedValue[];
}

/** Masks the encoded strings of a record, except in the fields that name and order it. */
export function maskEncoded(shape: StreamShape, data: Readonly<Record<string, unknown>>): MaskedData {
  const { primary_key, cursor_field, consent_time_field } = shape;
  const kept = new Set([...primary_key, cursor_field, consent_time_field]);
  const all: EncodedValue[] = [];
  const masked = Object.entries(data).map(([name, value]) => {
    if (kept.has(name)) return [name, value];
    const declared = shape.fields.find((field) => field.name === name);
    const { data: shown, encoded } = maskValue(value, name, declared);
    all.push(...encoded);
    return [name, shown];
  });
  return { data: all.length === 0 ? data : Object.fromEntries(masked), encoded: all };
}

/** Masks one field; how much of it is masked never depends on the record's other fields. */
function maskValue(value: unknown, name: string, declared: DeclaredContent | undefined) {
  const encoded: EncodedValue[] = [];
  const mask = (inner: unknown, path: FieldPath): unknown => {
    if (typeof inner === "string") {
      if (encoded.length >= ENCODED_VALUES) return inner;
      const found = describeEncoded(inner, path, path.length === 1 ? declared : undefined);
      if (found) encoded.push(found);
      return found?.shown ?? inner;
    }
    if (inner === null || typeof inner !== "object") return inner;
    if (Array.isArray(inner)) return inner.map((item, at) => mask(item, [...path, at]));
    return Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, mask(item, [...path, key])]));
  };
  return { data: mask(value, [name]), encoded };
}

function describeEncoded(
  text: string,
  path: FieldPath,
  declared: DeclaredContent | undefined,
): EncodedValue | undefined {
  const form = detectEncoded(text, declared);
  const place = form && formatFieldPath(path);
  if (!place || place.length > MAX_PATH_CHARS) return undefined;
  const blob_id = hashBytes(text, form);
  const shown = `(binary: ${form.mime_type}, ${form.size_bytes} bytes; read_blob blob_id=${blob_id})`;
  return { path: place, field: String(path[0]), text, form, blob_id, shown };
}

const PIECE_CHARS = 1 << 16;

function hashBytes(text: string, form: EncodedBytes): string {
  const hash = createHash("sha256");
  const decode = createDecoder(form);
  for (let at = form.start_chars; at < text.length; at += PIECE_CHARS)
    hash.update(decode(text.slice(at, at + PIECE_CHARS)));
  return hash.digest("hex");
}
