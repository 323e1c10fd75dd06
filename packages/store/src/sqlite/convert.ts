/** Rewrites a SQLite file under another key, or under none, while no other program can open it. */
import { rmSync } from "node:fs";
import { ApiError } from "@rungs/contract";
import type { TableDigest } from "../store.ts";
import { digestTables } from "../upkeep/copy.ts";
import { AuditJournal, removeJournal } from "./audit-journal.ts";
import { connect, type SqliteConnection } from "./connection.ts";
import { BUSY_MS } from "./database.ts";
import { EncryptedConnection, openWithCipher } from "./encrypted-connection.ts";
import { keyLiteral } from "./load-cipher.ts";
import { SqliteSql } from "./sqlite-sql.ts";

/** Copies a snapshot of a file while others may write to it; returns the digest of each table, equal in both. */
export async function copySqlite({
  file,
  part,
  from,
  to,
}: Omit<Conversion, "replace">): Promise<TableDigest[]> {
  const isPlain = from === undefined && to === undefined;
  const source = isPlain
    ? connect(file, { timeout: BUSY_MS })
    : openWithCipher(file, { key: from, timeout: BUSY_MS });
  try {
    return await copyTables(source, part, to);
  } finally {
    source.close();
  }
}

/** A file to write again. */
export interface Conversion {
  readonly file: string;
  /** The file to write; it must not exist. */
  readonly part: string;
  /** The present key; undefined for a plain file. */
  readonly from: Uint8Array | undefined;
  readonly to: Uint8Array | undefined;
  /** Replaces the file by the part, once both are proven equal, while the file is still locked. */
  readonly replace: () => void;
}

const SQLITE_BUSY = 5;
/** A program that opened the former file at the last moment refuses it. */
const UNUSABLE_VERSION = 2_000_000_000;

/** Rewrites a file; returns the digest of each table, equal in both files. Nothing has changed when this throws. */
export async function convertSqlite({ file, part, from, to, replace }: Conversion): Promise<TableDigest[]> {
  const source = openWithCipher(file, { key: from, timeout: 0 });
  try {
    lockFile(source);
    requireEmptyJournal(file, source, from);
    const digests = await copyTables(source, part, to);
    removeJournal(file);
    replace();
    source.exec(`PRAGMA main.user_version = ${UNUSABLE_VERSION}`);
    return digests;
  } catch (error) {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(part + suffix, { force: true });
    throw error;
  } finally {
    source.close();
  }
}

/**
 * Keeps every other program out until the connection is closed: it leaves WAL mode, which requires that nobody else has the
 * file open. Its journal is then in memory, since one on disk would be taken for that of the new file.
 */
function lockFile(connection: SqliteConnection): void {
  try {
    connection.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE");
    connection.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; COMMIT");
  } catch (error) {
    throw (error as { errcode?: number }).errcode === SQLITE_BUSY ? new ApiError("database_busy") : error;
  }
}

/** Audit rows that are not flushed yet would be lost with the journal. */
function requireEmptyJournal(file: string, source: SqliteConnection, key: Uint8Array | undefined): void {
  const journal = new AuditJournal(file, source, key);
  const { isEmpty } = journal;
  journal.close();
  if (!isEmpty) throw new ApiError("database_busy");
}

/** Copies a snapshot into a new file, and proves the copy by digest. */
async function copyTables(
  source: SqliteConnection,
  part: string,
  key: Uint8Array | undefined,
): Promise<TableDigest[]> {
  attachPart(source, part, key);
  writePart(source);
  const digests = await digestTables(new SqliteSql(source, { statements: 0, rows: 0, bytes: 0 }));
  source.exec("COMMIT; DETACH DATABASE part");
  requireEqual(digests, await digestPart(part, key));
  return digests;
}

function attachPart(source: SqliteConnection, part: string, key: Uint8Array | undefined): void {
  const keyed = source instanceof EncryptedConnection ? ` KEY ${keyLiteral(key)}` : "";
  source.prepare(`ATTACH DATABASE ? AS part${keyed}`).run(part);
  const mode = key === undefined ? "NONE" : "INCREMENTAL";
  source.exec(`PRAGMA part.page_size = 8192; PRAGMA part.auto_vacuum = ${mode};
    PRAGMA part.journal_mode = OFF; PRAGMA part.synchronous = OFF`);
}

/** Copies the schema first: SQLite then copies the pages of tables and indexes as they are, and sorts nothing. */
function writePart(source: SqliteConnection): void {
  source.exec("BEGIN");
  const schema = source
    .prepare(
      "SELECT type, name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'",
    )
    .all() as { type: string; name: string; sql: string }[];
  for (const { sql } of schema)
    source.exec(sql.replace(/^CREATE (?:UNIQUE )?(?:TABLE|INDEX) /i, (words) => `${words}part.`));
  for (const { type, name } of schema)
    if (type === "table") source.exec(`INSERT INTO part.${name} SELECT * FROM main.${name}`);
  const version = source.prepare("PRAGMA main.user_version").get() as { user_version: number };
  source.exec(`PRAGMA part.user_version = ${version.user_version}`);
}

async function digestPart(part: string, key: Uint8Array | undefined): Promise<TableDigest[]> {
  const connection = connect(part, { timeout: 0, readOnly: true, key });
  try {
    return await digestTables(new SqliteSql(connection, { statements: 0, rows: 0, bytes: 0 }));
  } finally {
    connection.close();
  }
}

function requireEqual(expected: readonly TableDigest[], found: readonly TableDigest[]): void {
  if (JSON.stringify(found) === JSON.stringify(expected)) return;
  throw new Error("The new file does not read back as it was written. Nothing was changed.");
}
