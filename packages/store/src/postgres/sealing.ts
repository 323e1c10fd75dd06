/**
 * Whether long rows are sealed: the one row of the table `rungs_seal` has the envelope, which only the keeper of the
 * key opens. It is not a table of the store, so that no copy includes it. A constraint makes PostgreSQL refuse rows
 * from programs that do not know about sealing.
 */
import { ApiError } from "@rungs/contract";
import type pg from "pg";
import { BODY_TABLES, type BodyTable, type RowKey } from "../database.ts";
import { primaryKeys } from "../schema.ts";
import type { SealState } from "../store.ts";
import { createPool } from "./pool.ts";
import { bytea, headOf, SEAL_CONSTRAINT, Seal, type SealKeys } from "./seal.ts";

/** What the database has of its seal. */
export interface StoredSeal {
  readonly state: SealState;
  readonly envelope: string;
}

const BATCH_ROWS: Record<BodyTable, number> = { chunks: 500, blob_chunks: 16, blocks: 500, vectors: 500 };
const UNDEFINED_TABLE = "42P01";

/** The seal of the database at `url`; undefined when its rows are plain. */
export async function readSeal(url: string): Promise<StoredSeal | undefined> {
  return withPool(url, (pool) =>
    findSeal(pool).catch((error: { code?: string }) => {
      if (error.code === UNDEFINED_TABLE) return undefined;
      throw error;
    }),
  );
}

export async function findSeal(client: Pick<pg.Pool, "query">): Promise<StoredSeal | undefined> {
  const { rows } = await client.query<StoredSeal>("SELECT state, envelope FROM rungs_seal");
  return rows[0];
}

/** The keys of a sealed database, from their keeper. */
export async function openSeal(
  { state, envelope }: StoredSeal,
  openEnvelope: ((envelope: string) => Promise<readonly Uint8Array[]>) | undefined,
): Promise<SealKeys> {
  if (!openEnvelope) throw new ApiError("key_missing");
  return { state, keys: await openEnvelope(envelope) };
}

/** Replaces the envelope: the same data keys, sealed by another key. */
export async function replaceSealEnvelope(url: string, envelope: string): Promise<void> {
  await withPool(url, (pool) => pool.query("UPDATE rungs_seal SET envelope = $1", [envelope]));
}

/** What to do with every long row, and the keys for it. */
export interface SealChange extends SealKeys {
  readonly state: "sealing" | "opening";
  readonly envelope: string;
  /** The envelope to keep when all rows are sealed: that of the last key. */
  readonly last_envelope: string;
}

/**
 * Seals every long row with the last key, or opens all; returns how many were changed. Safe to kill at any point: the
 * next call resumes; until then, a store with the keys reads and writes both kinds. Finally rewrites the tables, to
 * drop the former bytes.
 */
export async function changeSeal(
  url: string,
  change: SealChange,
  watch: (table: string, row_count: number) => void = () => undefined,
): Promise<number> {
  return withPool(url, async (pool) => {
    const { state, envelope, last_envelope } = change;
    const seal = new Seal(change);
    const isSealing = state === "sealing";
    await inTransaction(pool, async (client) => {
      await client.query("DELETE FROM rungs_seal");
      await client.query("INSERT INTO rungs_seal (state, envelope) VALUES ($1, $2)", [state, envelope]);
      for (const table of BODY_TABLES) await client.query(constrain(table, seal, isSealing));
    });
    let changed = 0;
    for (const table of BODY_TABLES) {
      let of_table = 0;
      for (let after: RowKey | undefined; ; ) {
        const done = await inTransaction(pool, (client) =>
          changeBatch(client, seal, { table, isSealing, after }),
        );
        if (done === undefined) break;
        after = done.last;
        of_table += done.row_count;
        watch(table, of_table);
      }
      await pool.query(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${SEAL_CONSTRAINT}`);
      changed += of_table;
    }
    await inTransaction(pool, async (client) => {
      if (isSealing)
        await client.query("UPDATE rungs_seal SET state = 'sealed', envelope = $1", [last_envelope]);
      else {
        for (const table of BODY_TABLES)
          await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${SEAL_CONSTRAINT}`);
        await client.query("DELETE FROM rungs_seal");
      }
    });
    // Not inside a transaction. Run it even if nothing was changed: an interrupted run did not get here.
    for (const table of BODY_TABLES) await pool.query(`VACUUM (FULL, ANALYZE) ${table}`);
    return changed;
  });
}

/** From now on, only rows in the target state get in. Existing rows are not validated yet. */
function constrain(table: BodyTable, seal: Seal, isSealing: boolean): string {
  return `ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${SEAL_CONSTRAINT},
    ADD CONSTRAINT ${SEAL_CONSTRAINT} CHECK (${isAsWanted(seal, isSealing)}) NOT VALID`;
}

function isAsWanted(seal: Seal, isSealing: boolean): string {
  const head = headOf("body");
  return isSealing ? `${head} = ${bytea(seal.id)}` : `${head} NOT IN (${seal.ids.map(bytea).join(", ")})`;
}

interface Batch {
  readonly table: BodyTable;
  readonly isSealing: boolean;
  readonly after: RowKey | undefined;
}

/** Changes the next rows in order of their keys; undefined when there are none. Other writers of these rows wait. */
async function changeBatch(
  client: pg.PoolClient,
  seal: Seal,
  { table, isSealing, after }: Batch,
): Promise<{ last: RowKey; row_count: number } | undefined> {
  const columns = primaryKeys[table].split(", ");
  const places = columns.map((_, at) => `$${at + 1}`);
  const behind = after ? `AND (${columns.join(", ")}) > (${places.join(", ")})` : "";
  const { rows } = await client.query<Record<string, Uint8Array>>(
    `SELECT ${columns.join(", ")}, body FROM ${table} WHERE NOT (${isAsWanted(seal, isSealing)}) ${behind}
     ORDER BY ${columns.join(", ")} LIMIT ${BATCH_ROWS[table]} FOR UPDATE`,
    after && [...after],
  );
  const update = `UPDATE ${table} SET body = $${columns.length + 1}
    WHERE ${columns.map((column, at) => `${column} = ${places[at]}`).join(" AND ")}`;
  const keys = rows.map((row) => columns.map((column) => row[column]) as unknown as RowKey);
  await Promise.all(
    rows.map((row, at) => {
      const key = keys[at] as RowKey;
      const body = seal.open(table, key, row.body as Uint8Array);
      return client.query(update, [...key, isSealing ? seal.seal(table, key, body) : body]);
    }),
  );
  const last = keys.at(-1);
  return last && { last, row_count: rows.length };
}

async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

async function withPool<T>(url: string, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = createPool(url, { max: 1 });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
