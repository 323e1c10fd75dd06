/** The strings of a record: those that are searched, with their paths, and their digests. */
import { createHash } from "node:crypto";
import type { FieldShape } from "@rungs/contract";
import { type FieldPath, formatFieldPath, MAX_PATH_CHARS, parseFieldPath } from "@rungs/evidence";

/** A searchable string of a record, with its path. */
export interface LexicalText {
  readonly path: string;
  readonly text: string;
}

/** The searchable strings of a field's value that have a path, in order of their token positions; `encoded` paths hold bytes. */
export function lexicalTexts(
  field: FieldShape,
  value: unknown,
  encoded: ReadonlySet<string> = new Set(),
): LexicalText[] {
  const texts: LexicalText[] = [];
  const declared = field.lexical.map((path) => dropIndexes(parseFieldPath(path) ?? []));
  walkStrings(value, [field.name], (text, path) => {
    const names = dropIndexes(path);
    if (!declared.some((wanted) => wanted.every((name, at) => names[at] === name))) return;
    const place = formatFieldPath(path);
    if (place.length <= MAX_PATH_CHARS && !encoded.has(place)) texts.push({ path: place, text });
  });
  return texts;
}

/** A path without its list indexes. */
function dropIndexes(path: FieldPath): FieldPath {
  return path.filter((segment) => typeof segment === "string");
}

/** Visits a value and its descendants in order; `enter` returns whether to descend into a value. */
export function walk(
  value: unknown,
  path: FieldPath,
  enter: (value: unknown, path: FieldPath) => boolean,
): void {
  if (!enter(value, path) || value === null || typeof value !== "object") return;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) walk(item, [...path, at], enter);
  } else {
    for (const [name, item] of Object.entries(value)) walk(item, [...path, name], enter);
  }
}

/** Visits every string at or below a value. */
function walkStrings(value: unknown, path: FieldPath, visit: (text: string, path: FieldPath) => void): void {
  walk(value, path, (each, at) => {
    if (typeof each === "string") visit(each, at);
    return true;
  });
}

const PIECE_UNITS = 1 << 16;

/** The SHA-256 of a text's UTF-8, computed piece by piece so that a huge text is never encoded whole. */
export function digestText(text: string): string {
  const hash = createHash("sha256");
  for (let unit = 0; unit < text.length; ) {
    let end = Math.min(text.length, unit + PIECE_UNITS);
    const code = text.charCodeAt(end - 1);
    if (end < text.length && code >= 0xd800 && code <= 0xdbff) end -= 1;
    hash.update(text.slice(unit, end), "utf8");
    unit = end;
  }
  return `sha256:${hash.digest("hex")}`;
}
