/** The offsets of values inside a serialized object or list, so that each can be read at its path. */
import { countChars, type FieldPath } from "@rungs/evidence";

/** A value inside a serialized one: its text is characters `start_char` to `end_char` of the whole. */
export interface LaidOut {
  readonly path: FieldPath;
  readonly value: unknown;
  readonly start_char: number;
  readonly end_char: number;
}

/** Visits the values inside `value` in the order of its compact JSON text, until `visit` returns false. */
export function layOutJson(value: object, path: FieldPath, visit: (inside: LaidOut) => boolean): void {
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
