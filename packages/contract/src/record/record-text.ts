import { type FieldPath, findLoneSurrogate } from "@rungs/evidence";
import { UNSAFE_NAME } from "../manifest/names.ts";

/** How deep a record's data may nest; the data itself is the first level. */
export const RECORD_MAX_DEPTH = 64;

/** Why a value cannot be stored: not JSON, too deep, or text that is not valid Unicode. */
export type DataProblem =
  | { readonly kind: "text"; readonly path: FieldPath; readonly offset_chars: number }
  | { readonly kind: "form"; readonly path: FieldPath; readonly message: string };

/** Finds the first value in a record's data that cannot be stored as it is. */
export function findDataProblem(value: unknown, path: FieldPath = []): DataProblem | undefined {
  switch (typeof value) {
    case "string":
      return findTextProblem(value, path);
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : { kind: "form", path, message: "is not a JSON value" };
    case "object":
      return value === null ? undefined : findInside(value, path);
    default:
      return { kind: "form", path, message: "is not a JSON value" };
  }
}

function findInside(value: object, path: FieldPath): DataProblem | undefined {
  if (path.length >= RECORD_MAX_DEPTH) {
    return { kind: "form", path, message: `nests deeper than ${RECORD_MAX_DEPTH} levels` };
  }
  const members: Iterable<[string | number, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value);
  for (const [name, member] of members) {
    const problem = findNameProblem(name, path) ?? findDataProblem(member, [...path, name]);
    if (problem) return problem;
  }
  return undefined;
}

/** Reports a bad name at its object: a path cannot contain it. */
function findNameProblem(name: string | number, path: FieldPath): DataProblem | undefined {
  if (name === UNSAFE_NAME) return { kind: "form", path, message: `has a property named ${UNSAFE_NAME}` };
  return typeof name === "string" ? findTextProblem(name, path) : undefined;
}

function findTextProblem(text: string, path: FieldPath): DataProblem | undefined {
  const offset_chars = findLoneSurrogate(text);
  return offset_chars === undefined ? undefined : { kind: "text", path, offset_chars };
}

/** Whether a value nests deeper than a record's data may. Values beyond that must not be walked: recursion would exhaust the stack. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (depth >= RECORD_MAX_DEPTH) return true;
  return Object.values(value).some((member) => isTooDeep(member, depth + 1));
}
