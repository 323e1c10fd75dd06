import { createHash } from "node:crypto";
import { type ImportedItem, type ImportedRecord, isKey, RECORD_MAX_DEPTH } from "@rungs/contract";
import { cleanText } from "./clean-text.ts";

/** Makes a record keyed by its `id`: texts are cleaned, empty members are dropped. */
export function toRecordItem(
  stream: string,
  place: string,
  data: { readonly id: string } & Readonly<Record<string, unknown>>,
): ImportedRecord {
  return { kind: "record", stream, place, key: data.id, data: cleanObject(data) };
}

function cleanObject(object: object, depth = 0): Record<string, unknown> {
  const members = Object.entries(object).map(
    ([name, value]) => [name, cleanValue(value, depth + 1)] as const,
  );
  return Object.fromEntries(members.filter(([, value]) => isFilled(value)));
}

/** Deep values stay as they are: the store rejects a record beyond its depth, and recursion must not reach the stack's. */
function cleanValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return cleanText(value);
  if (typeof value !== "object" || value === null || depth > RECORD_MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((each) => cleanValue(each, depth + 1)).filter(isFilled);
  return cleanObject(value, depth);
}

function isFilled(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

/**
 * Joins the parts of a key from the export; returns a digest if the result is not a valid key. The separator is `~` and
 * not `/`, which would make the record's id a long handle (R03); `^` escapes `~` and `^` inside a part.
 */
export function joinKey(...parts: readonly string[]): string {
  const key = parts.map((part) => part.replace(/[~^]/g, "^$&")).join("~");
  if (isKey(key)) return key;
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** Puts a checkpoint on the last item of a group, because only with it is the group complete. */
export async function* withCheckpoint(
  items: AsyncIterable<ImportedItem> | Iterable<ImportedItem>,
  checkpoint: string,
): AsyncGenerator<ImportedItem> {
  let held: ImportedItem | undefined;
  for await (const item of items) {
    if (held) yield held;
    held = item;
  }
  if (held) yield { ...held, checkpoint };
}
