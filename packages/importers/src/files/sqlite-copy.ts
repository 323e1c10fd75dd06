/** Databases of programs, which SQLite reads from disk only. */
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pipeline } from "node:stream/promises";
import { ApiError, type ImportedItem } from "@rungs/contract";
import type { FileEntry, Files } from "./files.ts";
import { DamagedDatabase } from "./sqlite-scan.ts";

const MAGIC = "SQLite format 3\0";

/** Whether a file is an SQLite database, by its first bytes. */
export function isSqlite(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, MAGIC.length)).toString("latin1") === MAGIC;
}

/**
 * Yields the items of `work`, which gets a copy of a database and of its write-ahead log, where the newest rows are. A
 * copy, because opening a database may change it, and because it may be in an archive. If SQLite cannot read on, the
 * last item is a rejection.
 */
export async function* readSqlite(
  files: Files,
  entry: FileEntry,
  work: (database: DatabaseSync) => AsyncIterable<ImportedItem> | Iterable<ImportedItem>,
): AsyncGenerator<ImportedItem> {
  try {
    yield* withCopy(files, entry, work);
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    const reason = "The database is damaged; what came before was read.";
    yield { kind: "rejected", place: entry.path, reason };
  }
}

async function* withCopy(
  files: Files,
  entry: FileEntry,
  work: (database: DatabaseSync) => AsyncIterable<ImportedItem> | Iterable<ImportedItem>,
): AsyncGenerator<ImportedItem> {
  const folder = await mkdtemp(join(tmpdir(), "rungs-import-"));
  try {
    const copy = join(folder, "copy.db");
    await pipeline(entry.open(), createWriteStream(copy, { mode: 0o600 }));
    const log = await files.find(`${entry.path}-wal`);
    if (log) await pipeline(log.open(), createWriteStream(`${copy}-wal`, { mode: 0o600 }));
    const database = new DatabaseSync(copy, { allowExtension: false, enableForeignKeyConstraints: false });
    try {
      // A hostile schema must not run functions beyond SQLite's own.
      database.exec("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON");
      yield* work(database);
    } finally {
      database.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function isDatabaseError(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === "file_unreadable";
  if (error instanceof DamagedDatabase) return true;
  return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";
}
