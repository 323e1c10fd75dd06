import type { FieldShape } from "@rungs/contract";
import { type FieldPath, formatFieldPath, parseFieldPath } from "@rungs/evidence";

/** A searchable string of a record, with its place. */
export interface LexicalText {
  readonly path: string;
  readonly text: string;
}

/** The searchable strings of a field's value, in the order in which their positions count up. */
export function lexicalTexts(field: FieldShape, value: unknown): LexicalText[] {
  const texts: LexicalText[] = [];
  const declared = field.lexical.map((path) => (parseFieldPath(path) ?? []).filter((name) => typeof name === "string"));
  collect(value, [field.name], [field.name], declared, texts);
  return texts;
}

function collect(value: unknown, path: FieldPath, names: readonly string[], declared: readonly (readonly string[])[], texts: LexicalText[]): void {
  if (typeof value === "string") {
    if (declared.some((wanted) => wanted.every((name, at) => names[at] === name))) texts.push({ path: formatFieldPath(path), text: value });
  } else if (Array.isArray(value)) {
    value.forEach((item, at) => collect(item, [...path, at], names, declared, texts));
  } else if (value !== null && typeof value === "object") {
    for (const [name, item] of Object.entries(value)) collect(item, [...path, name], [...names, name], declared, texts);
  }
}
