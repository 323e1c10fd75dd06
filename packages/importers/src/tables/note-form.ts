import type { TableForm } from "./table-form.ts";

/** What reading a table to its end showed. */
export interface TableFindings {
  /** Rows with an object that has two members of one name. */
  readonly repeated: number;
  /** Cells with an error instead of a value. */
  readonly errors: number;
  /** Whether there were too many keys to compare. */
  readonly is_full: boolean;
}

/** Tells the owner how a table was read, where it is not plain. */
export function noteForm(
  name: string,
  form: TableForm,
  { repeated, errors, is_full }: TableFindings,
  note: (sentence: string) => void,
): void {
  const skipped = form.kind === "csv" ? form.skip_lines : form.kind === "sheet" ? form.skip_rows : 0;
  const unit = form.kind === "csv" ? "lines" : "rows";
  if (skipped > 0) note(`${name}: the first ${skipped} ${unit} come before the table and were not read.`);
  if (form.kind === "json" && form.member !== undefined)
    note(`${name}: only the list ${form.member} was read.`);
  if (form.kind === "sheet" && form.sheet.is_hidden)
    note(`${name}: the workbook hides this sheet; it was read.`);
  if (errors > 0) note(`${name}: ${errors} cells hold an error instead of a value and were left empty.`);
  if (repeated > 0)
    note(`${name}: ${repeated} rows have an object with two members of one name; the last one counts.`);
  if (is_full) note(`${name}: it has too many rows to tell whether a key repeats among the last of them.`);
}
