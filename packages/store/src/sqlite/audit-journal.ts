/**
 * The audit journal: a small database next to the main one that takes audit rows without waiting for a writer. It is
 * flushed into the table `audit` when the main database is free. This way, a read is recorded while an import runs, and
 * readers keep their page cache.
 */
import { closeSync, openSync, rmSync } from "node:fs";
import {
  AUDIT_COLUMNS,
  type AuditCells,
  type ChainPlace,
  type ChainRow,
  linkRows,
  MOVE_END,
  READ_CHAIN,
  READ_LAST_ID,
  startChain,
  toChain,
} from "../control/audit.ts";
import type { ClaimTimes } from "../database.ts";
import { type TableName, tables } from "../tables.ts";
import { connect, type SqliteConnection } from "./connection.ts";

/** The table that the rows move to. */
const TARGET = "audit" satisfies TableName;
const COLUMNS = Object.keys(tables[TARGET]);
const PLACEHOLDERS = COLUMNS.map(() => "?").join(", ");
const COPY_ROWS = 5_000;

type Row = (string | number | null)[];

export class AuditJournal {
  readonly #connection: SqliteConnection;
  readonly #database: SqliteConnection;

  /** Opens the journal of the database in `file`, which `database` is a connection to; the key is the same. */
  constructor(file: string, database: SqliteConnection, key: Uint8Array | undefined) {
    closeSync(openSync(journalPath(file), "a", 0o600));
    this.#connection = connect(journalPath(file), { timeout: 5_000, key });
    this.#database = database;
    this.#connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    this.#inTransaction(() => this.#createTables());
  }

  /** Adds rows to an owner's chain. All writers of the chain pass through here, so the journal knows its end. */
  add(owner: number, entries: readonly AuditCells[]): void {
    this.#inTransaction(() => this.#append(owner, entries));
  }

  #append(owner: number, entries: readonly AuditCells[]): void {
    const known = this.#connection.prepare("SELECT id, hash FROM ends WHERE owner = ?").get(owner);
    const { rows, end } = linkRows(
      owner,
      (known as unknown as ChainPlace | undefined) ?? readEnd(this.#database, owner),
      entries,
    );
    const insert = this.#connection.prepare(
      `INSERT INTO notes (${COLUMNS.join(", ")}) VALUES (${PLACEHOLDERS})`,
    );
    for (const row of rows) insert.run(...(row as Row));
    this.#connection.prepare("INSERT OR REPLACE INTO ends VALUES (?, ?, ?)").run(owner, end.id, end.hash);
  }

  /**
   * Keeps used keys here too: a one-time proof must not wait for an import. They disappear with the journal, long after
   * they have expired.
   */
  claimOnce(owner: number, key: string, { expires_ms, now_ms }: ClaimTimes): boolean {
    let isFirst = false;
    this.#inTransaction(() => {
      this.#connection.prepare("DELETE FROM claims WHERE expires_ms <= ?").run(now_ms);
      const insert = this.#connection.prepare("INSERT OR IGNORE INTO claims VALUES (?, ?, ?)");
      isFirst = insert.run(owner, key, expires_ms).changes === 1;
    });
    return isFirst;
  }

  /** AUTOINCREMENT never reuses a number, even while another process copies and deletes earlier rows. */
  #createTables(): void {
    const old = this.#takeOldRows();
    this.#connection.exec(`
      CREATE TABLE IF NOT EXISTS ends (owner INTEGER PRIMARY KEY, id INTEGER NOT NULL, hash TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS claims (owner INTEGER, key TEXT, expires_ms INTEGER NOT NULL, PRIMARY KEY (owner, key)) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS claims_by_expiry ON claims (expires_ms);
      CREATE TABLE IF NOT EXISTS notes (number INTEGER PRIMARY KEY AUTOINCREMENT, ${COLUMNS.join(", ")});`);
    for (const row of old)
      this.#append(row.owner as number, [AUDIT_COLUMNS.map((name) => row[name] ?? null)]);
  }

  /** The rows of a journal that an older version left, which have no hashes. */
  #takeOldRows(): Record<string, string | number | null>[] {
    const columns = this.#connection.prepare("SELECT name FROM pragma_table_info('notes')").all() as {
      name: string;
    }[];
    if (columns.length === 0 || columns.some(({ name }) => name === "hash")) return [];
    const rows = this.#connection.prepare("SELECT * FROM notes ORDER BY number").all();
    this.#connection.exec("DROP TABLE notes");
    return rows as Record<string, string | number | null>[];
  }

  #inTransaction(work: () => void): void {
    this.#connection.exec("BEGIN IMMEDIATE");
    try {
      work();
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

  /** Copies rows into the database, inside its transaction, skipping those it has already. Returns the last row's number. */
  copyRows(): number {
    const rows = this.#connection
      .prepare(`SELECT number, ${COLUMNS.join(", ")} FROM notes ORDER BY number LIMIT ${COPY_ROWS}`)
      .all() as { number: number; owner: number; audit_id: number; hash: string }[];
    const insert = this.#database.prepare(`INSERT INTO ${TARGET} VALUES (${PLACEHOLDERS})`);
    const isKnown = this.#database.prepare("SELECT 1 FROM owners WHERE owner = ?");
    for (const [owner, own] of Map.groupBy(rows, (row) => row.owner)) {
      // The owner was removed while the rows waited.
      if (isKnown.get(owner) === undefined) continue;
      const end = requireChain(this.#database, owner);
      const fresh = own.filter(({ audit_id }) => audit_id > end.id);
      for (const { number: _, ...row } of fresh) insert.run(...(Object.values(row) as Row));
      const last = fresh.at(-1);
      if (last) this.#database.prepare(toSqlite(MOVE_END)).run(owner, last.audit_id, last.hash);
    }
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

/** Where the chain in the database ends; after the last row when there is no chain yet. */
function readEnd(database: SqliteConnection, owner: number): ChainPlace {
  const row = database.prepare(toSqlite(READ_CHAIN)).get(owner);
  if (row) return toChain(row as ChainRow).end;
  const last = database.prepare(toSqlite(READ_LAST_ID)).get(owner) as { id: number | null };
  return { id: last.id ?? 0, hash: "" };
}

/** The same, in a transaction that starts the chain if there is none. */
function requireChain(database: SqliteConnection, owner: number): ChainPlace {
  const end = readEnd(database, owner);
  const start = startChain(owner, end.id) as Row;
  database.prepare("INSERT OR IGNORE INTO audit_chains VALUES (?, ?, ?, ?, ?)").run(...start);
  return end;
}

function toSqlite(statement: string): string {
  return statement.replace(/\$(\d+)/g, "?$1");
}

/** Removes the journal of a database that no longer exists. */
export function removeJournal(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(journalPath(file) + suffix, { force: true });
}

function journalPath(file: string): string {
  return `${file}-notes`;
}
