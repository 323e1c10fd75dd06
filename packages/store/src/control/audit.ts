/**
 * The audit log: appends, lists and counts its rows, verifies their chain, and deletes the oldest. Each row has a hash over itself and the hash
 * of the row before it, so that a changed or removed row is detected. `audit_chains` keeps where an owner's chain starts (retention
 * advances it) and ends.
 */
import { createHash } from "node:crypto";
import type { Catalog } from "../catalog/catalog.ts";
import {
  createTimedId,
  type Database,
  omitNulls,
  Parameters,
  type Sql,
  type SqlContext,
  type SqlRow,
  timedIdBefore,
  type Value,
} from "../database.ts";
import type { AuditCheck, AuditFilter, Store, StoredAuditEntry } from "../store.ts";
import { type TableName, tables } from "../tables.ts";

/** The columns of an audit row without its key and its hash, in order. */
export const AUDIT_COLUMNS = Object.keys(tables["audit" satisfies TableName]).slice(2, -1);

const SELECT = `SELECT audit_id, ${AUDIT_COLUMNS.join(", ")}`;
const VERIFIED_ROWS = 1_000;
/** Lists replace the row that was written when a stream began with those written at its end. */
const IS_REPLACED = `a.progress = 'begun' AND EXISTS (SELECT 1 FROM audit e
  WHERE e.owner = a.owner AND e.request_id = a.request_id AND e.progress IN ('ended', 'broken'))`;

const GROUPS_MAX = 10_000;

/** A row with a record's id only names a record that a request showed; the row of its stream has the count. */
const SUMMARIZE = `SELECT substr(a.at, 1, 10) AS day, a.client_id, a.operation, a.status,
    count(DISTINCT a.request_id) + coalesce(sum(a.requests - 1), 0) AS requests,
    coalesce(sum(CASE WHEN a.record_id IS NULL THEN a.records ELSE NULL END), 0) AS records,
    coalesce(sum(a.bytes), 0) AS bytes
  FROM audit a WHERE a.owner = $1 AND a.audit_id >= $2 AND a.audit_id < $3 AND (a.progress IS NULL OR a.progress <> 'begun')
  GROUP BY substr(a.at, 1, 10), a.client_id, a.operation, a.status
  ORDER BY day, a.client_id, a.operation, a.status LIMIT ${GROUPS_MAX}`;

interface SummaryRow extends SqlRow {
  day: string;
  client_id: string;
  operation: string;
  status: number;
  requests: number | string;
  records: number | string;
  bytes: number | string;
}

export function createAudit(database: Database, catalog: Catalog) {
  return {
    async appendAudit(owner_id, rows) {
      const owner = await catalog.requireOwner(owner_id);
      const cells = rows.map((row) => {
        const byName: Readonly<Record<string, unknown>> = { ...row };
        return AUDIT_COLUMNS.map((column) => (byName[column] ?? null) as Value);
      });
      await database.appendAudit(owner, cells);
    },

    async listAudit(owner_id, filter) {
      const owner = await catalog.requireOwner(owner_id);
      await database.flushAuditJournal();
      const parameters = new Parameters();
      const conditions = [`a.owner = ${parameters.add(owner)}`, ...listConditions(filter, parameters)];
      const rows = await database.peek(owner, (sql) =>
        sql.all(
          `${SELECT} FROM audit a WHERE ${conditions.join(" AND ")} AND NOT (${IS_REPLACED})
           ORDER BY audit_id DESC LIMIT ${parameters.add(filter.limit)}`,
          parameters.values,
        ),
      );
      return rows.map((row) => omitNulls(row) as unknown as StoredAuditEntry);
    },

    /** How much each client requested and got, by day. */
    async summarizeAudit(owner_id, since_ms, until_ms) {
      const owner = await catalog.requireOwner(owner_id);
      await database.flushAuditJournal();
      const until = until_ms === undefined ? Number.MAX_SAFE_INTEGER : timedIdBefore(until_ms);
      const rows = await database.peek(owner, (sql) =>
        sql.all<SummaryRow>(SUMMARIZE, [owner, timedIdBefore(since_ms), until]),
      );
      return rows.map(({ day, client_id, operation, status, requests, records, bytes }) => ({
        day,
        client_id,
        operation,
        status,
        requests: Number(requests),
        records: Number(records),
        bytes: Number(bytes),
      }));
    },

    async checkAudit(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      await database.flushAuditJournal();
      return database.read(owner, (sql) => verifyChain({ sql, owner }));
    },

    async expireAudit(owner_id, before_ms) {
      const owner = await catalog.requireOwner(owner_id);
      await database.flushAuditJournal();
      const before = timedIdBefore(before_ms);
      return database.write(owner, async (sql) => {
        const [last] = await sql.all<{ audit_id: number; hash: string | null }>(
          "SELECT audit_id, hash FROM audit WHERE owner = $1 AND audit_id < $2 ORDER BY audit_id DESC LIMIT 1",
          [owner, before],
        );
        if (!last) return 0;
        // Appending moves only the end of the chain, so the two need no common lock.
        if (last.hash !== null)
          await sql.run("UPDATE audit_chains SET start_id = $2, start_hash = $3 WHERE owner = $1", [
            owner,
            last.audit_id,
            last.hash,
          ]);
        return sql.run("DELETE FROM audit WHERE owner = $1 AND audit_id < $2", [owner, before]);
      });
    },
  } satisfies Partial<Store>;
}

function listConditions(filter: AuditFilter, parameters: Parameters): string[] {
  const { grant_id, client_id, since, before_audit_id, except_client_ids = [] } = filter;
  const excepted = except_client_ids.map((id) => `a.client_id <> ${parameters.add(id)}`);
  const given = Object.entries({
    "a.grant_id =": grant_id,
    "a.client_id =": client_id,
    "a.at >=": since,
    "a.audit_id <": before_audit_id,
  }).flatMap(([test, value]) => (value === undefined ? [] : [`${test} ${parameters.add(value)}`]));
  return [...given, ...excepted];
}

interface LinkedRow extends SqlRow {
  audit_id: number;
  hash: string | null;
}

/** Computes every hash again, a page at a time, and stops at the first row that does not follow from the one before. */
async function verifyChain({ sql, owner }: SqlContext): Promise<AuditCheck> {
  const chain = await readChain(sql, owner);
  if (!chain) return { row_count: 0, end_hash: "" };
  let { id, hash } = chain.start;
  let row_count = 0;
  for (;;) {
    const rows = await sql.all<LinkedRow>(
      `${SELECT}, hash FROM audit WHERE owner = $1 AND audit_id > $2 ORDER BY audit_id LIMIT ${VERIFIED_ROWS}`,
      [owner, id],
    );
    for (const row of rows) {
      const cells = AUDIT_COLUMNS.map((column) => row[column] as Value);
      if (row.hash !== hashRow(hash, row.audit_id, cells))
        return {
          row_count,
          end_hash: hash,
          problem: `row ${row.audit_id} of ${row.at} was changed, or a row before it was removed`,
        };
      id = row.audit_id;
      hash = row.hash;
      row_count += 1;
    }
    if (rows.length < VERIFIED_ROWS) break;
  }
  const isWhole = chain.end.id === id && chain.end.hash === hash;
  return {
    row_count,
    end_hash: hash,
    ...(isWhole ? {} : { problem: `rows after row ${id}, the last one, were removed` }),
  };
}

/** A place in a chain: a row's id, and its hash. */
export interface ChainPlace {
  readonly id: number;
  readonly hash: string;
}

/** An owner's chain: the place before its first row, and its last row. */
export interface Chain {
  readonly start: ChainPlace;
  readonly end: ChainPlace;
}

/** Values of `AUDIT_COLUMNS`. */
export type AuditCells = readonly Value[];

/** Rows of the table `audit`, and the place of the last one. */
export interface LinkedRows {
  readonly rows: readonly Value[][];
  readonly end: ChainPlace;
}

/** Makes rows of the table `audit` that continue a chain after `end`: gives them rising ids, and hashes. */
export function linkRows(owner: number, end: ChainPlace, entries: readonly AuditCells[]): LinkedRows {
  let last = end;
  const rows = entries.map((entry) => {
    const cells = entry.map((cell) => (typeof cell === "string" ? cell.toWellFormed() : cell));
    const id = Math.max(last.id + 1, createTimedId());
    last = { id, hash: hashRow(last.hash, id, cells) };
    return [owner, id, ...cells, last.hash];
  });
  return { rows, end: last };
}

/** The hash of a row that follows one with the hash `before`. */
function hashRow(before: string, id: number, cells: AuditCells): string {
  return createHash("sha256")
    .update(JSON.stringify([before, id, ...cells]))
    .digest("hex");
}

export interface ChainRow extends SqlRow {
  start_id: number;
  start_hash: string;
  end_id: number;
  end_hash: string;
}

export const READ_CHAIN = "SELECT start_id, start_hash, end_id, end_hash FROM audit_chains WHERE owner = $1";
/** A chain starts after the rows that older versions wrote without hashes. */
export const READ_LAST_ID = "SELECT max(audit_id) AS id FROM audit WHERE owner = $1";
export const MOVE_END = "UPDATE audit_chains SET end_id = $2, end_hash = $3 WHERE owner = $1";

/** An owner's chain; undefined before its first row. */
async function readChain(sql: Sql, owner: number): Promise<Chain | undefined> {
  const [row] = await sql.all<ChainRow>(READ_CHAIN, [owner]);
  return row && toChain(row);
}

export function toChain({ start_id, start_hash, end_id, end_hash }: ChainRow): Chain {
  return { start: { id: start_id, hash: start_hash }, end: { id: end_id, hash: end_hash } };
}

/** The row of `audit_chains` for a chain that begins after `id`. */
export function startChain(owner: number, id: number): Value[] {
  return [owner, id, "", id, ""];
}
