/** Databases of programs, which SQLite reads from disk only. */
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pipeline } from "node:stream/promises";
import type { FileEntry, Files } from "./files.ts";

const MAGIC = "SQLite format 3\0";

/** Whether a file is an SQLite database, by its first bytes. */
export function isSqlite(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, MAGIC.length)).toString("latin1") === MAGIC;
}

/**
 * Calls `work` with a copy of a database and of its write-ahead log, which has the newest rows. A copy, because opening
 * a database may change it, and because it may be in an archive.
 */
export async function* withSqliteCopy<T>(
  files: Files,
  entry: FileEntry,
  work: (database: DatabaseSync) => AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<T> {
  const folder = await mkdtemp(join(tmpdir(), "rungs-import-"));
  try {
    const copy = join(folder, "copy.db");
    await pipeline(entry.open(), createWriteStream(copy, { mode: 0o600 }));
    const log = await files.find(`${entry.path}-wal`);
    if (log) await pipeline(log.open(), createWriteStream(`${copy}-wal`, { mode: 0o600 }));
    const database = new DatabaseSync(copy, { allowExtension: false, enableForeignKeyConstraints: false });
    try {
      // Hostile schemas run no functions beyond SQLite's own.
      database.exec("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON");
      yield* work(database);
    } finally {
      database.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
