import type { FileEntry } from "../files/files.ts";
import { streamXml } from "../xml/xml-events.ts";
import { type DateForm, readColumn, writeDate, writeNumber } from "./cell-text.ts";
import { findMerges } from "./merges.ts";
import { RowBuilder } from "./row-builder.ts";
import { decodeEscapes, type SharedStrings } from "./shared-strings.ts";
import type { SheetRow } from "./sheet.ts";

/** What the cells of a sheet refer to. */
export interface XlsxContext {
  readonly strings: SharedStrings;
  /** What each cell style shows. */
  readonly styles: readonly (DateForm | undefined)[];
  readonly date_system: 1900 | 1904;
}

/** The rows of a sheet. Formulas have the value that the program stored last. */
export async function* readXlsxRows(part: FileEntry, context: XlsxContext): AsyncGenerator<SheetRow> {
  const strings = await context.strings();
  const merges = await findMerges(part.open());
  const row = new RowBuilder();
  const ready: SheetRow[] = [];
  let [number, column, value] = [0, -1, ""];
  let [type, style] = ["n", 0];
  // The value of a cell is in `v`, or in the `t` of an inline text, but not in its phonetic reading.
  let [is_value, is_reading] = [false, false];
  const toText = (): string => {
    if (type === "s") return strings[Number(value)] ?? "";
    if (type === "b") return value === "1" ? "true" : "false";
    if (type !== "n") return decodeEscapes(value);
    const form = context.styles[style];
    return form === undefined ? writeNumber(value) : writeDate(value, form, context.date_system);
  };
  const closeCell = (): void => {
    const isError = type === "e" && value !== "";
    if (isError) row.addError();
    const text = value === "" || isError ? "" : toText();
    if (type !== "s" || row.reserve(text.length)) row.set(column, text);
    merges.remember(number, column, text);
  };
  const events = {
    open(name: string, { r, s, t }: Readonly<Record<string, string>>): void {
      if (name === "row") {
        row.start();
        number = Number(r) || number + 1;
        column = -1;
      } else if (name === "c") {
        column = r === undefined ? column + 1 : readColumn(r);
        [type, style, value] = [t ?? "n", Number(s ?? 0), ""];
      } else if (name === "rPh") is_reading = true;
      else if (name === "v" || name === "t") is_value = !is_reading;
    },
    text(piece: string): void {
      if (is_value && row.reserve(piece.length)) value += piece;
    },
    close(name: string): void {
      if (name === "v" || name === "t") is_value = false;
      else if (name === "rPh") is_reading = false;
      else if (name === "c") closeCell();
      else if (name === "row") {
        for (const [at, text] of merges.continueIn(number)) if (row.reserve(text.length)) row.set(at, text);
        ready.push(row.end());
      }
    },
  };
  for await (const _ of streamXml(part.open(), events)) yield* ready.splice(0);
}
