import type { TableRow } from "./row.ts";
import {
  type CellForm,
  classifyCell,
  classifyJson,
  findCellForm,
  isWritten,
  type ValueKind,
} from "./value-kind.ts";

/** The statistics of a column. */
export interface TableColumn {
  readonly name: string;
  readonly kinds: ReadonlySet<ValueKind>;
  /** Whether every row has a value for it, and no two the same. */
  readonly is_unique: boolean;
  /** Whether the values were CSV cells, whose kind was inferred from their text. */
  readonly is_csv: boolean;
  /** The format of its cells, if it is not that of JSON and RFC 3339. */
  readonly form?: CellForm | undefined;
}

/** How many rows to examine: all rows of most tables, and few enough to keep their keys in memory. */
const ROWS_MAX = 100_000;
const KEY_MAX_CHARS = 256;

interface Facts {
  readonly name: string;
  readonly kinds: Set<ValueKind>;
  filled: number;
  /** The values seen; undefined once two were equal or one was not a valid key. */
  seen: Set<string> | undefined;
}

/** Examines the first rows of a table and returns its columns in the order in which they appear. */
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
    is_unique: filled === count && seen !== undefined,
    is_csv,
    ...readForm(kinds),
  }));
}

/** The effective kinds: cells whose format differs from that of their column count as text. */
function readForm(kinds: ReadonlySet<ValueKind>): Pick<TableColumn, "kinds" | "form"> {
  const form = findCellForm(kinds);
  if (form !== undefined) return { form, kinds: new Set([form === "comma" ? "number" : "date"]) };
  return { kinds: new Set([...kinds].map((kind) => (isWritten(kind) ? "string" : kind))) };
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
