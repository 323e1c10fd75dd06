/**
 * Splits a record's data into what its row holds and the texts that are stored in chunks.
 * One rule: a top-level value whose text (a string itself, anything else its JSON) is longer than `INLINE_CHARS` is cut. The
 * row keeps its head. Strings inside a cut object or array are texts of their own, so that their paths can be read.
 */
import { countBytes, countChars, formatFieldPath, sliceChars } from "@rungs/evidence";
import { HEAD_CHARS, INLINE_CHARS, ROW_CHARS } from "../sizes.ts";
import type { Cut } from "../store.ts";
import { digestText } from "./digest.ts";
import { walkStrings } from "./walk.ts";

/** A text that is stored in chunks. */
export interface LongText {
  readonly path: string;
  /** The top-level field that the grant decides by. */
  readonly field: string;
  readonly kind: "text" | "json";
  readonly text: string;
}

export interface RowShape {
  /** The row's JSON: cut strings as their head, other cut values as null. */
  readonly data: string;
  readonly cuts: readonly Cut[];
  readonly texts: readonly LongText[];
}

export function shapeRow(data: Readonly<Record<string, unknown>>): RowShape {
  const kept: Record<string, unknown> = {};
  const cuts: Cut[] = [];
  const texts: LongText[] = [];
  const limit = fieldLimit(data);
  for (const [field, value] of Object.entries(data)) {
    const kind = typeof value === "string" ? "text" : "json";
    const text = typeof value === "string" ? value : mayBeLong(value) ? JSON.stringify(value) : "";
    if (text.length <= limit || (limit === INLINE_CHARS && countChars(text) <= INLINE_CHARS)) {
      kept[field] = value;
      continue;
    }
    const path = formatFieldPath([field]);
    const size_chars = countChars(text);
    const head = sliceChars(text, 0, Math.min(HEAD_CHARS, limit));
    cuts.push({ path, kind, size_chars, size_bytes: countBytes(text), digest: digestText(text), head });
    kept[field] = kind === "text" ? head : null;
    texts.push({ path, field, kind, text });
    if (kind === "json") {
      walkStrings(value, [field], (text, at) =>
        texts.push({ path: formatFieldPath(at), field, kind: "text", text }),
      );
    }
  }
  return { data: JSON.stringify(kept), cuts, texts };
}

/** How long a value of this record may be in its row: less than usual when the row would get too long. */
function fieldLimit(data: Readonly<Record<string, unknown>>): number {
  let total = 0;
  const values = Object.values(data);
  for (const value of values) {
    const length =
      typeof value === "string" ? value.length : mayBeLong(value) ? JSON.stringify(value).length : 8;
    total += Math.min(length, INLINE_CHARS);
  }
  return total <= ROW_CHARS ? INLINE_CHARS : Math.floor(ROW_CHARS / values.length);
}

function mayBeLong(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
