/** A row of cells as text, as in a CSV file; empty cells are empty texts. */
export interface SheetRow {
  readonly cells: readonly string[];
  /** How many cells hold an error instead of a value. */
  readonly errors: number;
  /** Whether the row was too long to hold; then it has no cells. */
  readonly is_too_long: boolean;
}

/** One sheet of a workbook. */
export interface Sheet {
  readonly name: string;
  readonly is_hidden: boolean;
  /** Its rows from the top; may be called more than once. Throws `file_unreadable`. */
  rows(): AsyncIterable<SheetRow>;
}
