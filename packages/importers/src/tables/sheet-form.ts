import type { FileEntry } from "../files/files.ts";
import type { Sheet, SheetRow } from "../sheets/sheet.ts";
import { listSheets } from "../sheets/workbook.ts";
import { isHeader, nameColumns } from "./header.ts";
import { type TableRow, tooLong } from "./row.ts";

/** The layout of the rows in a sheet. */
export interface SheetForm {
  readonly kind: "sheet";
  readonly sheet: Sheet;
  /** How many non-empty rows precede the table. */
  readonly skip_rows: number;
  readonly has_header: boolean;
  /** The field names of the columns; columns without one are named by their number. */
  readonly names: readonly string[];
}

/** The sheets of a workbook that have rows. Throws `file_unreadable`. */
export async function findSheetForms(entry: FileEntry): Promise<SheetForm[]> {
  const forms: SheetForm[] = [];
  for (const sheet of await listSheets(entry)) {
    const form = await findSheetForm(sheet);
    if (form) forms.push(form);
  }
  return forms;
}

const ROWS_LOOKED_AT = 200;
const CHARS_LOOKED_AT = 4 * 1024 ** 2;
/** How many rows above a table to examine: a title, the name of an account. */
const PREAMBLE_MAX_ROWS = 20;

async function findSheetForm(sheet: Sheet): Promise<SheetForm | undefined> {
  const rows = await takeRows(sheet);
  if (rows.length === 0) return undefined;
  const counts = rows.map((cells) => cells.filter((cell) => cell !== "").length);
  const width = Math.max(...counts);
  // A table begins with the first row that fills most of its columns.
  const found = counts.slice(0, PREAMBLE_MAX_ROWS + 1).findIndex((count) => count >= Math.max(2, width / 2));
  const skip_rows = Math.max(0, found);
  const table = rows.slice(skip_rows);
  const columns = Math.max(...table.map(({ length }) => length));
  const used = Array.from({ length: columns }, (_, at) => at).filter((at) => table.some((row) => row[at]));
  const has_header = isHeader(table.map((row) => used.map((at) => row[at] ?? "")));
  const first = Array.from({ length: columns }, (_, at) => table[0]?.[at] ?? "");
  return { kind: "sheet", sheet, skip_rows, has_header, names: nameColumns(first, has_header) };
}

async function takeRows(sheet: Sheet): Promise<(readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  let chars = 0;
  for await (const { cells, is_too_long } of sheet.rows()) {
    if (!is_too_long && !hasCells(cells)) continue;
    rows.push(cells);
    chars += cells.reduce((sum, { length }) => sum + length, 0);
    if (rows.length === ROWS_LOOKED_AT || chars > CHARS_LOOKED_AT) break;
  }
  return rows;
}

/** The rows of a sheet after its header, without empty ones. */
export async function* readSheetRows({
  sheet,
  skip_rows,
  has_header,
  names,
}: SheetForm): AsyncGenerator<TableRow> {
  let skip = skip_rows + (has_header ? 1 : 0);
  for await (const row of sheet.rows()) {
    if (!row.is_too_long && !hasCells(row.cells)) continue;
    if (skip > 0) skip -= 1;
    else yield row.is_too_long ? tooLong : nameCells(row, names);
  }
}

function hasCells(cells: readonly string[]): boolean {
  return cells.some((cell) => cell !== "");
}

function nameCells({ cells, errors }: SheetRow, names: readonly string[]): TableRow {
  const filled = cells.flatMap((cell, at) => (cell === "" ? [] : [[names[at] ?? `column_${at + 1}`, cell]]));
  return { kind: "row", values: Object.fromEntries(filled), errors };
}
