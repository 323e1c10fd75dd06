import { ApiError } from "@rungs/contract";
import { createStore } from "../create-store.ts";
import { createSchema, SCHEMA_VERSION, type SchemaWriter, updateSchema } from "../schema.ts";
import type { Store, StoreOptions } from "../store.ts";
import type { TableName } from "../tables.ts";
import { poolReads } from "../workers/pooled-store.ts";
import { createPostgresDatabase } from "./database.ts";
import { createPool } from "./pool.ts";
import { openServerRole, wallTables } from "./server-role.ts";

/** Rows of a few KiB stay in their page: a second read, from the TOAST table, costs more than it saves. */
const wideTables: Partial<Record<TableName, string>> = {
  records: "data",
  chunks: "body",
  blocks: "body",
  vectors: "body",
};

const writer: SchemaWriter = {
  types: { int: "BIGINT", text: 'TEXT COLLATE "C"', bytes: "BYTEA", real: "DOUBLE PRECISION" },
  tableSuffix: (table) => (wideTables[table] ? " WITH (toast_tuple_target = 8160)" : ""),
};

/** Opens the database at `url`, and creates or migrates its tables. */
export async function openPostgres(url: string, options: StoreOptions = {}): Promise<Store> {
  const upkeep = createPool(url, { max: 2 });
  let role: string | undefined;
  try {
    role = await migrate(upkeep, options.database_role);
  } catch (error) {
    await upkeep.end();
    throw error;
  }
  const owners = createPool(url, { max: 8, role });
  const audit = createPool(url, { max: 2, role, options: "-c synchronous_commit=off" });
  const database = createPostgresDatabase({ owners, audit, upkeep });
  const store = await createStore(database, { ...options, database_role: role });
  return poolReads(store, { engine: "postgres", address: url, role }, options);
}

/** Creates or migrates the tables; returns the role for the server. */
async function migrate(
  pool: ReturnType<typeof createPool>,
  named: string | undefined,
): Promise<string | undefined> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock(771700)");
    await client.query("CREATE TABLE IF NOT EXISTS rungs_schema (version INT NOT NULL)");
    const found = await client.query<{ version: number }>("SELECT version FROM rungs_schema");
    const version = found.rows[0]?.version ?? 0;
    if (version > SCHEMA_VERSION)
      throw new ApiError("database_newer", { database: version, program: SCHEMA_VERSION });
    if (version === 0) {
      for (const statement of createSchema(writer)) await client.query(statement);
      for (const [table, column] of [
        ["chunks", "body"],
        ["blocks", "body"],
        ["vectors", "body"],
        ["blob_chunks", "body"],
      ]) {
        await client.query(`ALTER TABLE ${table} ALTER COLUMN ${column} SET STORAGE EXTERNAL`);
      }
      await client.query(`INSERT INTO rungs_schema VALUES (${SCHEMA_VERSION})`);
    } else if (version < SCHEMA_VERSION) {
      for (const statement of updateSchema(version, writer)) await client.query(statement);
      await client.query(`UPDATE rungs_schema SET version = ${SCHEMA_VERSION}`);
    }
    await wallTables(client);
    const role = await openServerRole(client, named);
    await client.query("COMMIT");
    return role;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}
