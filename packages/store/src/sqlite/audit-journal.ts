/**
 * The audit journal: a small database next to the main one that takes audit rows without waiting for a writer. They move to the
 * table `audit` when the main database is free. This way a read is recorded while an import runs, and readers keep their page cache.
 */
import { closeSync, openSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type TableName, tables, type Value } from "../database.ts";

/** The table that the rows move to. */
const TARGET = "audit" satisfies TableName;
const COLUMNS = Object.keys(tables[TARGET]);
const PLACEHOLDERS = COLUMNS.map(() => "?").join(", ");
const COPY_ROWS = 5_000;

export class AuditJournal {
  readonly #connection: DatabaseSync;
  readonly #insert;

  constructor(file: string) {
    closeSync(openSync(journalPath(file), "a", 0o600));
    this.#connection = new DatabaseSync(journalPath(file), { timeout: 5_000 });
    // AUTOINCREMENT never reuses a number, even while another process copies and deletes earlier rows.
    this.#connection.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS notes (number INTEGER PRIMARY KEY AUTOINCREMENT, ${COLUMNS.join(", ")});`);
    this.#insert = this.#connection.prepare(
      `INSERT INTO notes (${COLUMNS.join(", ")}) VALUES (${PLACEHOLDERS})`,
    );
  }

  add(rows: readonly (readonly Value[])[]): void {
    this.#connection.exec("BEGIN IMMEDIATE");
    try {
      for (const row of rows) this.#insert.run(...(row as (string | number | null)[]));
      this.#connection.exec("COMMIT");
    } catch (error) {
      // Some failures end the transaction themselves.
      if (this.#connection.isTransaction) this.#connection.exec("ROLLBACK");
      throw error;
    }
  }

  get isEmpty(): boolean {
    return this.#connection.prepare("SELECT 1 FROM notes LIMIT 1").get() === undefined;
  }

  /** Copies rows into `database`, inside its transaction, skipping those it has already. Returns the last row's number. */
  copyInto(database: DatabaseSync): number {
    const rows = this.#connection
      .prepare(`SELECT number, ${COLUMNS.join(", ")} FROM notes ORDER BY number LIMIT ${COPY_ROWS}`)
      .all() as { number: number }[];
    const insert = database.prepare(`INSERT OR IGNORE INTO ${TARGET} VALUES (${PLACEHOLDERS})`);
    for (const { number: _, ...row } of rows)
      insert.run(...(Object.values(row) as (string | number | null)[]));
    return rows.at(-1)?.number ?? 0;
  }

  /** Deletes rows up to `number`. Call it after their copy is committed. */
  forgetUntil(number: number): void {
    this.#connection.prepare("DELETE FROM notes WHERE number <= ?").run(number);
  }

  close(): void {
    this.#connection.close();
  }
}

/** Removes the journal of a database that no longer exists. */
export function removeJournal(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(journalPath(file) + suffix, { force: true });
}

function journalPath(file: string): string {
  return `${file}-notes`;
}
