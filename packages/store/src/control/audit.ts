/** The audit log: appends and lists its rows, verifies their chain, and deletes the oldest. */
import type { Catalog } from "../catalog/catalog.ts";
import {
  type Database,
  omitNulls,
  Parameters,
  type SqlContext,
  type SqlRow,
  type Value,
} from "../database.ts";
import { timedIdBefore } from "../rows/ids.ts";
import type { AuditCheck, AuditFilter, Store, StoredAuditEntry } from "../store.ts";
import { AUDIT_COLUMNS, hashRow, readChain } from "./audit-chain.ts";

const SELECT = `SELECT audit_id, ${AUDIT_COLUMNS.join(", ")}`;
const VERIFIED_ROWS = 1_000;
/** The row that was written when a stream began is replaced by those written at its end. */
const IS_REPLACED = `a.progress = 'begun' AND EXISTS (SELECT 1 FROM audit e
  WHERE e.owner = a.owner AND e.request_id = a.request_id AND e.progress IN ('ended', 'broken'))`;

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
