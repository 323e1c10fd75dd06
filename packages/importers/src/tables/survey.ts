import type { TableRow } from "./row.ts";
import { classifyCell, classifyJson, type ValueKind } from "./value-kind.ts";

/** What is known of a column after looking at its values. */
export interface TableColumn {
  readonly name: string;
  readonly kinds: ReadonlySet<ValueKind>;
  /** Whether every row has a value for it, and no two the same. */
  readonly is_unique: boolean;
  /** Whether the values were cells of CSV, whose kind was told from their text. */
  readonly is_csv: boolean;
}

/** How many rows are looked at: enough for most tables whole, and few enough to keep their keys in memory. */
const ROWS_MAX = 100_000;
const KEY_MAX_CHARS = 256;

interface Facts {
  readonly name: string;
  readonly kinds: Set<ValueKind>;
  filled: number;
  /** Values seen; undefined once two were the same or one was no key. */
  seen: Set<string> | undefined;
}

/** Looks at a table's first rows: its columns in the order in which they appear. */
export async function surveyRows(rows: AsyncIterable<TableRow>, is_csv: boolean): Promise<TableColumn[]> {
  const columns = new Map<string, Facts>();
  let count = 0;
  for await (const row of rows) {
    if (row.kind === "problem") continue;
    for (const [name, value] of Object.entries(row.values)) {
      const facts = columns.get(name) ?? { name, kinds: new Set(), filled: 0, seen: new Set() };
      columns.set(name, facts);
      note(facts, value, is_csv ? classifyCell(String(value)) : classifyJson(value));
    }
    count += 1;
    if (count === ROWS_MAX) break;
  }
  return [...columns.values()].map(({ name, kinds, filled, seen }) => ({
    name,
    kinds,
    is_unique: filled === count && seen !== undefined,
    is_csv,
  }));
}

function note(facts: Facts, value: unknown, kind: ValueKind | undefined): void {
  if (kind === undefined) return;
  facts.kinds.add(kind);
  facts.filled += 1;
  if (facts.seen === undefined) return;
  const text = String(value);
  const isKey = (typeof value === "string" || kind === "integer") && text.length <= KEY_MAX_CHARS;
  if (!isKey || facts.seen.has(text) || /\p{Cc}/u.test(text)) facts.seen = undefined;
  else facts.seen.add(text);
}
