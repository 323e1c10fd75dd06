import type { FieldPath } from "@rungs/evidence";

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
export function walkStrings(
  value: unknown,
  path: FieldPath,
  visit: (text: string, path: FieldPath) => void,
): void {
  walk(value, path, (each, at) => {
    if (typeof each === "string") visit(each, at);
    return true;
  });
}
