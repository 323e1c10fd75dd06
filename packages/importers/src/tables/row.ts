/** The longest row, which an import of a table holds in memory. */
export const ROW_MAX_BYTES = 32 * 1024 ** 2;

/** The values of a row by name, or why it cannot be read. */
export type TableRow =
  | {
      readonly kind: "row";
      readonly values: Readonly<Record<string, unknown>>;
      /** Whether an object in it has duplicate member names, of which the last counts. */
      readonly is_repeated?: boolean | undefined;
      /** How many cells of a sheet hold an error instead of a value. */
      readonly errors?: number | undefined;
    }
  | { readonly kind: "problem"; readonly reason: string };

/** Stands for a row that was too long to hold. */
export const tooLong: TableRow = { kind: "problem", reason: `It is longer than ${ROW_MAX_BYTES} bytes.` };
