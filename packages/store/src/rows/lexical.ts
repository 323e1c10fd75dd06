import type { FieldShape } from "@rungs/contract";
import { type FieldPath, formatFieldPath, MAX_PATH_CHARS, parseFieldPath } from "@rungs/evidence";
import { walkStrings } from "./walk.ts";

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
