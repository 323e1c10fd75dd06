import { closeSync, openSync } from "node:fs";
import { ApiError } from "@rungs/contract";
import { createStore } from "../create-store.ts";
import { createSchema, SCHEMA_VERSION, type SchemaWriter, updateSchema } from "../schema.ts";
import { watchSlow } from "../slow-queries.ts";
import type { Store, StoreOptions } from "../store.ts";
import type { TableName } from "../tables.ts";
import { poolReads } from "../workers/pooled-store.ts";
import { AuditJournal, removeJournal } from "./audit-journal.ts";
import type { SqliteConnection } from "./connection.ts";
import { BUSY_MS, beginTransaction, createSqliteDatabase } from "./database.ts";
import { openConnection } from "./sqlite-sql.ts";

export { connect, type SqliteConnection } from "./connection.ts";
export { type Conversion, convertSqlite, copySqlite } from "./convert.ts";
export { isPlainFile, isSealedFile } from "./file-head.ts";

/** Tables of short rows, stored in their primary key's B-tree alone; long rows read slower there. */
const narrowTables = new Set<TableName>([
  "scalars",
  "items",
  "threads",
  "changes",
  "former_values",
  "dead",
  "embeddings",
  "sync_cursors",
  "sync_items",
  "blob_refs",
  "blob_sources",
]);

const writer: SchemaWriter = {
  types: { int: "INTEGER", text: "TEXT", bytes: "BLOB", real: "REAL" },
  tableSuffix: (table) => (narrowTables.has(table) ? " WITHOUT ROWID" : ""),
};

/** Opens or creates the database in `file` and migrates its schema. */
export async function openSqlite(file: string, options: StoreOptions = {}): Promise<Store> {
  const { busy_ms = BUSY_MS, key } = options;
  // Create the file with mode 0600; SQLite would make it readable to all.
  closeSync(openSync(file, "a", 0o600));
  const connection = openConnection(file, key);
  try {
    // Takes the write lock only when there is something to migrate.
    if (readVersion(connection) !== SCHEMA_VERSION) await updateDatabase(connection, file, busy_ms);
  } catch (error) {
    connection.close();
    throw error;
  }
  const journal = new AuditJournal(file, connection, key);
  const slow = options.slow_queries && watchSlow(options.slow_queries);
  const database = createSqliteDatabase({ file, key, writer: connection, journal, busy_ms, slow });
  await database.flushAuditJournal();
  return poolReads(await createStore(database, options), { engine: "sqlite", address: file }, options);
}

async function updateDatabase(connection: SqliteConnection, file: string, busy_ms: number): Promise<void> {
  await beginTransaction(connection, "BEGIN IMMEDIATE", busy_ms);
  const version = readVersion(connection);
  if (version > SCHEMA_VERSION)
    throw new ApiError("database_newer", { database: version, program: SCHEMA_VERSION });
  if (version === 0) removeJournal(file);
  const statements = version === 0 ? createSchema(writer) : updateSchema(version, writer);
  for (const statement of statements) connection.exec(statement);
  connection.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  connection.exec("COMMIT");
}

function readVersion(connection: SqliteConnection): number {
  return (connection.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;
}
