/** The longest row that is read: what an import of a table holds at a time. */
export const ROW_MAX_BYTES = 32 * 1024 ** 2;

/** A row's values by name, or why it cannot be read. */
export type TableRow =
  | { readonly kind: "row"; readonly values: Readonly<Record<string, unknown>> }
  | { readonly kind: "problem"; readonly reason: string };

/** A row that went by without being held. */
export const tooLong: TableRow = { kind: "problem", reason: `It is longer than ${ROW_MAX_BYTES} bytes.` };
