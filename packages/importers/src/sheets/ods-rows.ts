import type { FileEntry } from "../files/files.ts";
import { streamXml } from "../xml/xml-events.ts";
import { writeNumber } from "./cell-text.ts";
import { createMerges } from "./merges.ts";
import { RowBuilder } from "./row-builder.ts";
import type { SheetRow } from "./sheet.ts";

type Attributes = Readonly<Record<string, string>>;

/** The most rows that a sheet can have. */
const ROWS_MAX = 1_048_576;
const SPACES_MAX = 100;

/** Reads the value of a cell from its attributes, by its type; a cell without such a value shows its text content. */
const values: Readonly<Record<string, (attributes: Attributes) => string | undefined>> = {
  float: (attributes) => writeNumber(attributes["office:value"] ?? ""),
  percentage: (attributes) => writeNumber(attributes["office:value"] ?? ""),
  currency: (attributes) => writeNumber(attributes["office:value"] ?? ""),
  date: (attributes) => attributes["office:date-value"]?.replace(/T00:00:00(?:\.0+)?$/, ""),
  time: (attributes) => attributes["office:time-value"]?.replace(DURATION, "$1:$2:$3"),
  boolean: (attributes) => attributes["office:boolean-value"],
  string: (attributes) => attributes["office:string-value"],
};

const DURATION = /^PT(\d+)H(\d+)M(\d+)(?:\.\d+)?S$/;

/** The rows of one sheet of an ODS file, by its number. */
export async function* readOdsRows(part: FileEntry, sheet: number): AsyncGenerator<SheetRow> {
  const row = new RowBuilder();
  let ready: { readonly row: SheetRow; readonly copies: number }[] = [];
  let [at, depth, number, copies] = [-1, 0, 0, 1];
  let [column, cell_copies, text, value] = [0, 1, "", undefined as string | undefined];
  let [is_cell, is_paragraph, notes, spanned] = [false, false, 0, 1];
  const merges = createMerges((from) => (spanned > 1 ? from + spanned - 1 : undefined));
  const isHere = (): boolean => at === sheet && depth === 1;
  const openCell = (attributes: Attributes): void => {
    cell_copies = readCount(attributes["table:number-columns-repeated"]);
    spanned = readCount(attributes["table:number-rows-spanned"]);
    [is_cell, text] = [true, ""];
    value = values[attributes["office:value-type"] ?? ""]?.(attributes);
    if (value !== undefined) row.reserve(value.length);
  };
  const closeCell = (): void => {
    const shown = value ?? text;
    is_cell = false;
    merges.remember(number, column, shown);
    for (let copy = 0; copy < cell_copies && shown !== "" && row.has(column + copy); copy += 1) {
      if (copy === 0 || row.reserve(shown.length)) row.set(column + copy, shown);
    }
    column += cell_copies;
  };
  const opening: Readonly<Record<string, (attributes: Attributes) => void>> = {
    "table-row": (attributes) => {
      row.start();
      copies = readCount(attributes["table:number-rows-repeated"]);
      [number, column] = [number + 1, 0];
    },
    "table-cell": openCell,
    "covered-table-cell": openCell,
    annotation: () => {
      notes += 1;
    },
    p: () => {
      if (is_cell && notes === 0 && text !== "") text += "\n";
      is_paragraph = is_cell && notes === 0;
    },
    s: (attributes) => add(" ".repeat(Math.min(readCount(attributes["text:c"]), SPACES_MAX))),
    tab: () => add("\t"),
    "line-break": () => add("\n"),
  };
  const closing: Readonly<Record<string, () => void>> = {
    "table-row": () => {
      for (const [merged, shown] of merges.continueIn(number))
        if (row.reserve(shown.length)) row.set(merged, shown);
      ready.push({ row: row.end(), copies: Math.min(copies, ROWS_MAX - number + 1) });
      number += copies - 1;
    },
    "table-cell": closeCell,
    "covered-table-cell": closeCell,
    annotation: () => {
      notes -= 1;
    },
    p: () => {
      is_paragraph = false;
    },
  };
  const add = (piece: string): void => {
    if (is_paragraph && row.reserve(piece.length)) text += piece;
  };
  const events = {
    open(name: string, attributes: Attributes): void {
      if (name === "table") {
        depth += 1;
        if (depth === 1) at += 1;
      } else if (isHere() && Object.hasOwn(opening, name)) opening[name]?.(attributes);
    },
    text(piece: string): void {
      if (isHere()) add(piece);
    },
    close(name: string): void {
      if (name === "table") depth -= 1;
      else if (isHere() && Object.hasOwn(closing, name)) closing[name]?.();
    },
  };
  for await (const _ of streamXml(part.open(), events)) {
    for (const each of ready) {
      // Programs fill a sheet to its end with one repeated empty row.
      const isEmpty = each.row.cells.length === 0 && !each.row.is_too_long;
      for (let copy = 0; copy < (isEmpty ? 1 : each.copies); copy += 1) yield each.row;
    }
    ready = [];
    if (at > sheet) return;
  }
}

function readCount(text: string | undefined): number {
  const count = Number(text ?? 1);
  return Number.isSafeInteger(count) && count > 0 ? Math.min(count, ROWS_MAX) : 1;
}
