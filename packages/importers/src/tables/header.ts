/** The header of a table: whether it has one, and the names of its columns. */
import { toFieldName } from "./field-name.ts";

/** The names from the header; a missing name becomes the column's number, and a repeated one gets a number. */
export function nameColumns(first: readonly string[], has_header: boolean): string[] {
  const names: string[] = [];
  for (const [at, cell] of first.entries()) {
    const name = has_header && cell.trim() !== "" ? toFieldName(cell.trim()) : `column_${at + 1}`;
    let free = name;
    for (let copy = 2; names.includes(free); copy += 1) free = `${name}_${copy}`;
    names.push(free);
  }
  return names;
}

const NUMBER_OR_DATE = /^[-+(]?[\d.,:/\s€$£%T-]*\d[\d.,:/\s€$£%)TZ-]*$/;
const YEAR = /^(?:19|20)\d{2}$/;

/**
 * Detects a header: names, or years above other values. Some may be missing or repeated if a column proves that the
 * first row is not data: a name above only numbers and dates.
 */
export function isHeader([first = [], ...rest]: readonly (readonly string[])[]): boolean {
  const names = first.map((name) => name.trim());
  const below = (at: number) => rest.map((row) => (row[at] ?? "").trim()).filter((cell) => cell !== "");
  const isName = (name: string, at: number) =>
    name === "" ||
    !NUMBER_OR_DATE.test(name) ||
    (YEAR.test(name) && !below(at).every((cell) => YEAR.test(cell)));
  const words = names.filter((name) => name !== "" && !NUMBER_OR_DATE.test(name));
  if (rest.length === 0 || words.length === 0 || !names.every(isName)) return false;
  const isComplete = names.every((name) => name !== "") && new Set(names).size === names.length;
  if (isComplete) return true;
  return names.some((name, at) => {
    const cells = below(at);
    return words.includes(name) && cells.length > 0 && cells.every((cell) => NUMBER_OR_DATE.test(cell));
  });
}
