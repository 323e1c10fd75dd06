import type { DatabaseSync, SQLOutputValue } from "node:sqlite";

/** A row by the names of its columns. Integers are bigints. */
export type SqliteRow = Readonly<Record<string, SQLOutputValue>>;

/** A database with an impossible structure. */
export class DamagedDatabase extends Error {}

/** The names of plain tables; not views and virtual tables, whose content a program computes. */
export function listTables(database: DatabaseSync): Set<string> {
  const rows = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").iterate();
  const names = new Set<string>();
  for (const { name, sql } of rows) if (!/^\s*CREATE\s+VIRTUAL/i.test(String(sql))) names.add(String(name));
  return names;
}

/**
 * The rows of a plain table after one of them, in the order of their ROWID, which is `row_id`. Columns that the table does
 * not have read as null. A hostile file may repeat its pages without end: rows that do not ascend end the scan.
 */
export function* scanTable(
  database: DatabaseSync,
  {
    table,
    columns,
    after = 0,
  }: { readonly table: string; readonly columns: readonly string[]; readonly after?: number },
): Generator<SqliteRow & { readonly row_id: bigint }> {
  const statement = database.prepare(
    `SELECT ROWID AS row_id, ${selectColumns(database, table, columns)} FROM ${table} WHERE ROWID > ? ORDER BY ROWID`,
  );
  statement.setReadBigInts(true);
  let last = BigInt(after);
  for (const row of statement.iterate(after)) {
    const row_id = row.row_id;
    if (typeof row_id !== "bigint" || row_id <= last) throw new DamagedDatabase("The rows are not in order.");
    last = row_id;
    yield { ...row, row_id };
  }
}

/** Creates a function that finds one row by its ROWID. */
export function createRowFinder(
  database: DatabaseSync,
  table: string,
  columns: readonly string[],
): (row_id: bigint) => SqliteRow | undefined {
  const statement = database.prepare(
    `SELECT ${selectColumns(database, table, columns)} FROM ${table} WHERE ROWID = ?`,
  );
  return (row_id) => statement.get(row_id);
}

/** Names come from the program, never from the file. */
function selectColumns(database: DatabaseSync, table: string, names: readonly string[]): string {
  const known = new Set(
    database
      .prepare("SELECT name FROM pragma_table_info(?)")
      .all(table)
      .map(({ name }) => name),
  );
  return names.map((name) => (known.has(name) ? name : `NULL AS ${name}`)).join(", ");
}

/** The value if it is text that is not empty. */
export function toText(value: SQLOutputValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
