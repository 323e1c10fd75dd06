import {
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
import { type Database, EVERYONE, nameWrites, Signals, type Whose } from "../database.ts";
import { createNoOwner } from "../owners/account.ts";
import { PROGRAM_OWNER } from "../schema.ts";
import type { Traffic } from "../store.ts";
import type { TableName } from "../tables.ts";
import { OwnerPool, type OwnerPoolOptions } from "./owner-pool.ts";
import type { ServerPool } from "./pool.ts";
import type { PostgresSql } from "./postgres-sql.ts";
import { changeValue, claimKey } from "./shared-values.ts";

/**
 * Columns that distinguish indexes with a common prefix. Until PostgreSQL has statistics for them, it estimates that scanning a
 * stream costs as little as a lookup by key, and autovacuum takes up to a minute to analyze them.
 */
const KEY_COLUMNS = "records (owner, part, record_id, doc), changes (owner, part, record_id, seq)";
/**
 * Writers look up by key only. A custom plan for an owner or stream that is newer than the last ANALYZE expects no rows and
 * chooses a scan.
 */
const USE_GENERIC_PLANS = "SET LOCAL plan_cache_mode = force_generic_plan";
/** Tables with record content. */
const RECORD_TABLES: readonly TableName[] = [
  "records",
  "texts",
  "chunks",
  "scalars",
  "threads",
  "blob_refs",
  "blob_chunks",
  "blobs",
  "changes",
  "blocks",
  "vectors",
];
const FIRST_DOCS = 256;
const GROWTH = 4;

/** Audit rows and shared values take a moment: a server silent for this long inside their transaction has stopped. */
const AUDIT_IDLE_MS = 10_000;

/** The start of a transaction with snapshot isolation. */
export const SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/** The connections of a database. */
interface Pools {
  readonly owners: ServerPool;
  /** Commits without waiting for the disk. */
  readonly audit: ServerPool;
  /** Its role owns the tables and sees the rows of all owners. */
  readonly upkeep: ServerPool;
}

/** Settings for the transactions of all pools, and the recipient of write signals. */
interface DatabaseOptions extends Pick<OwnerPoolOptions, "role" | "slow" | "seal"> {
  readonly signals?: Signals | undefined;
}

export function createPostgresDatabase(
  pools: Pools,
  { role, slow, seal, signals = new Signals() }: DatabaseOptions = {},
): Database {
  const traffic: Traffic = { statements: 0, rows: 0, bytes: 0 };
  const owners = new OwnerPool(pools.owners, traffic, { role, slow, seal });
  const audit = new OwnerPool(pools.audit, traffic, {
    role,
    slow,
    synchronous_commit: "off",
    idle_in_transaction_session_timeout: AUDIT_IDLE_MS,
  });
  const upkeep = new OwnerPool(pools.upkeep, traffic, { slow, seal });
  let analyzeAtDocs = FIRST_DOCS;

  const poolOf = (whose: Whose) => (whose === EVERYONE ? upkeep : owners);

  return {
    traffic,
    signals,
    read: (whose, work) => poolOf(whose).observe(whose, work, { begin: SNAPSHOT }),
    peek: (whose, work) => poolOf(whose).observe(whose, work),
    peekByToken: (token_digest, work) => owners.observe({ token_digest }, work),
    findOwner: (owner_id) => owners.findOwner(owner_id),
    async write(whose, work) {
      const written = await poolOf(whose).change(whose, async (sql) => {
        await lockOwner(sql, whose);
        return work(sql);
      });
      signals.tell(nameWrites(whose));
      return written;
    },
    appendAudit: (owner, entries) => audit.change(owner, (sql) => appendRows(sql, owner, entries)),
    claimOnce: (owner, key, times) => audit.change(owner, (sql) => claimKey(sql, owner, key, times)),
    changeShared: (owner, name, now_ms, change) =>
      audit.change(owner, (sql) => changeValue(sql, owner, name, now_ms, change)),
    flushAuditJournal: async () => undefined,
    async analyzeIfGrown(docs) {
      if (docs < analyzeAtDocs) return;
      analyzeAtDocs = docs * GROWTH;
      // Best effort: the write is committed already.
      await upkeep.query(`ANALYZE (SKIP_LOCKED) ${KEY_COLUMNS}`).catch(() => undefined);
    },
    async analyze() {
      await upkeep.query("ANALYZE");
    },
    async reclaimSpace() {
      // Not inside a transaction; readers of a table wait while it is rewritten.
      for (const table of RECORD_TABLES) await upkeep.query(`VACUUM (FULL, ANALYZE) ${table}`);
      return true;
    },
    async close() {
      await signals.close();
      await Promise.all([owners.end(), audit.end(), upkeep.end()]);
    },
  };
}

/**
 * Serializes the writers of an owner. An owner who was removed meanwhile has no row, and must get no further writes. A
 * replica has a write once it has the write's version. Versions are times in microseconds, so that a server left behind
 * by a failover never reaches those of its successor.
 */
const LOCK_OWNER = `UPDATE owners SET write_version =
  greatest(coalesce(write_version, 0) + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) WHERE owner = $1`;
const LOCK_PROGRAM = `SELECT 1 AS found FROM owners WHERE owner = ${PROGRAM_OWNER} FOR UPDATE`;

async function lockOwner(sql: PostgresSql, whose: Whose): Promise<void> {
  sql.send(USE_GENERIC_PLANS);
  const locked = whose === EVERYONE ? await sql.run(LOCK_PROGRAM) : await sql.run(LOCK_OWNER, [whose]);
  if (locked === 0) throw createNoOwner();
}

/** Appends to an owner's chain; its row in `audit_chains` serializes the writers. */
async function appendRows(sql: PostgresSql, owner: number, entries: readonly AuditCells[]): Promise<void> {
  const { rows, end } = linkRows(owner, await lockEnd(sql, owner), entries);
  await sql.insert("audit", rows);
  sql.send(MOVE_END, [owner, end.id, end.hash]);
}

async function lockEnd(sql: PostgresSql, owner: number): Promise<ChainPlace> {
  const lock = () => sql.all<ChainRow>(`${READ_CHAIN} FOR UPDATE`, [owner]);
  let [row] = await lock();
  if (!row) {
    const [last] = await sql.all<{ id: number | null }>(READ_LAST_ID, [owner]);
    const start = startChain(owner, last?.id ?? 0);
    await sql.run(
      `INSERT INTO audit_chains SELECT $1::bigint, $2::bigint, $3, $4::bigint, $5
       WHERE EXISTS (SELECT 1 FROM owners WHERE owner = $1::bigint) ON CONFLICT DO NOTHING`,
      start,
    );
    [row] = await lock();
    if (!row) throw createNoOwner();
  }
  return toChain(row as ChainRow).end;
}
