import { ROW_MAX_BYTES } from "../tables/row.ts";
import type { SheetRow } from "./sheet.ts";

/** The last column of a sheet: `XFD`. */
const COLUMNS_MAX = 16_384;

/** Collects the cells of a row, and drops them once their total gets too long. */
export class RowBuilder {
  #cells: string[] = [];
  #errors = 0;
  #chars = 0;

  start(): void {
    this.#cells = [];
    this.#errors = 0;
    this.#chars = 0;
  }

  /** Whether the row has room for this many characters more. */
  reserve(chars: number): boolean {
    this.#chars += chars;
    if (this.#chars > ROW_MAX_BYTES) this.#cells = [];
    return this.#chars <= ROW_MAX_BYTES;
  }

  /** Sets the text of a cell, whose length was reserved. */
  set(column: number, text: string): void {
    if (!this.has(column) || text === "" || this.#chars > ROW_MAX_BYTES) return;
    while (this.#cells.length < column) this.#cells.push("");
    this.#cells[column] = text;
  }

  /** Whether a sheet can have such a column. */
  has(column: number): boolean {
    return column < COLUMNS_MAX;
  }

  addError(): void {
    this.#errors += 1;
  }

  end(): SheetRow {
    return {
      cells: this.#cells,
      errors: this.#errors,
      is_too_long: this.#chars > ROW_MAX_BYTES,
    };
  }
}
