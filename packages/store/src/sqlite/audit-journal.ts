/**
 * Rows that must not wait for a writer: they go into a file of their own beside the database, and are gathered from there
 * when the database is free. So a read is recorded while an import runs, and no other connection loses its page cache to it.
 */
import { closeSync, openSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type TableName, tables, type Value } from "../database.ts";

/** The one table whose rows may come late. */
const NOTED = "audit" satisfies TableName;
const COLUMNS = Object.keys(tables[NOTED]);
const MARKS = COLUMNS.map(() => "?").join(", ");
const GATHER_ROWS = 5_000;

export class AuditJournal {
  readonly #connection: DatabaseSync;
  readonly #insert;

  constructor(file: string) {
    closeSync(openSync(journalPath(file), "a", 0o600));
    this.#connection = new DatabaseSync(journalPath(file), { timeout: 5_000 });
    // A number is never given twice: another program may be gathering the rows before.
    this.#connection.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS notes (number INTEGER PRIMARY KEY AUTOINCREMENT, ${COLUMNS.join(", ")});`);
    this.#insert = this.#connection.prepare(`INSERT INTO notes (${COLUMNS.join(", ")}) VALUES (${MARKS})`);
  }

  add(rows: readonly (readonly Value[])[]): void {
    this.#connection.exec("BEGIN IMMEDIATE");
    try {
      for (const row of rows) this.#insert.run(...(row as (string | number | null)[]));
      this.#connection.exec("COMMIT");
    } catch (error) {
      // Some failures have ended the transaction already.
      if (this.#connection.isTransaction) this.#connection.exec("ROLLBACK");
      throw error;
    }
  }

  /** Whether rows wait to be gathered. */
  get isEmpty(): boolean {
    return this.#connection.prepare("SELECT 1 FROM notes LIMIT 1").get() === undefined;
  }

  /** Copies rows into the database, inside its transaction; what it has already is left out. Gives the last one's number. */
  copyInto(database: DatabaseSync): number {
    const rows = this.#connection
      .prepare(`SELECT number, ${COLUMNS.join(", ")} FROM notes ORDER BY number LIMIT ${GATHER_ROWS}`)
      .all() as { number: number }[];
    const insert = database.prepare(`INSERT OR IGNORE INTO ${NOTED} VALUES (${MARKS})`);
    for (const { number: _, ...row } of rows)
      insert.run(...(Object.values(row) as (string | number | null)[]));
    return rows.at(-1)?.number ?? 0;
  }

  /** Forgets what was copied, once the copy is committed. */
  forgetUntil(number: number): void {
    this.#connection.prepare("DELETE FROM notes WHERE number <= ?").run(number);
  }

  close(): void {
    this.#connection.close();
  }
}

/** Removes the notes of a database that is no longer there. */
export function removeJournal(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(journalPath(file) + suffix, { force: true });
}

function journalPath(file: string): string {
  return `${file}-notes`;
}
