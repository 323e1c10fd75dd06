/** How a store is opened, counted and copied. */

export interface StoreOptions {
  readonly now?: (() => Date) | undefined;
  /** How long SQLite waits for another program that is writing; half a minute when left out. */
  readonly busy_ms?: number | undefined;
}

export type Cell = string | number | null | Uint8Array;

/** Some rows of a table: a cell for each column, text as UTF-8 and never packed. */
export interface TablePage {
  readonly table: string;
  readonly rows: readonly (readonly Cell[])[];
}

/** What a table came to; tables without rows are left out. */
export interface TableDigest {
  readonly table: string;
  readonly row_count: number;
  readonly sha256: string;
}

/** How far a load is: rows of a table that were copied, or read back. */
export interface LoadStep {
  readonly phase: "copy" | "check";
  readonly table: string;
  readonly row_count: number;
}

export interface Traffic {
  statements: number;
  rows: number;
  bytes: number;
}
