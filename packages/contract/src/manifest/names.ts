import { countChars, type FieldPath } from "@rungs/evidence";
import type { Problem } from "../errors/problem.ts";

const MAX_DEPTH = 128;

/** Assigning to this name changes an object's prototype instead of adding a member. */
export const UNSAFE_NAME = "__proto__";

const RESERVED = new Set([UNSAFE_NAME, "constructor", "prototype"]);

/** Whether looking a declared name up in an object could find an inherited property. */
export function isReservedName(name: string): boolean {
  return RESERVED.has(name);
}

/** How long a declared field name may be. */
const FIELD_NAME_MAX_CHARS = 128;

/** A comma separates names in `fields`, and the signs separate a name from its value in `filter`. */
const EXCLUDED = /[,=<>!\p{Cc}]/u;

/** Whether a stream may declare a field of this name. */
export function isFieldName(name: string): boolean {
  if (name === "" || name.trim() !== name || !name.isWellFormed() || EXCLUDED.test(name)) return false;
  return countChars(name) <= FIELD_NAME_MAX_CHARS && !isReservedName(name);
}

/** Finds a member name that is unsafe to copy, or nesting too deep to walk. */
export function findUnsafeName(value: unknown, path: FieldPath = []): Problem | undefined {
  if (value === null || typeof value !== "object") return undefined;
  if (path.length > MAX_DEPTH) {
    return { path: path.slice(0, 4), message: `nests deeper than ${MAX_DEPTH} levels` };
  }
  if (Object.hasOwn(value, UNSAFE_NAME)) {
    return { path, message: `must not have a member named ${UNSAFE_NAME}` };
  }
  const members: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  for (const [name, member] of members) {
    const problem = findUnsafeName(member, [...path, name]);
    if (problem) return problem;
  }
  return undefined;
}
