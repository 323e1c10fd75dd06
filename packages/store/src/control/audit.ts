import type { Catalog } from "../catalog/catalog.ts";
import { type Database, omitNulls, Parameters, type TableName, tables } from "../database.ts";
import { createTimedId } from "../rows/timed-id.ts";
import type { AuditEntry, Store, StoredAuditEntry } from "../store.ts";

/** The columns after the key (`owner`, `audit_id`). */
const AUDIT_COLUMNS = Object.keys(tables["audit" satisfies TableName]).slice(2) as (keyof AuditEntry)[];

export function createAudit(database: Database, catalog: Catalog) {
  return {
    async appendAudit(owner_id, rows) {
      const owner = await catalog.requireOwner(owner_id);
      const entries = rows.map((row) => [
        owner,
        createTimedId(),
        ...AUDIT_COLUMNS.map((column) => row[column] ?? null),
      ]);
      await database.appendAuditRows(entries);
    },

    async listAudit(owner_id, filter) {
      const owner = await catalog.requireOwner(owner_id);
      await database.flushAuditJournal();
      const parameters = new Parameters();
      const conditions = [`owner = ${parameters.add(owner)}`];
      if (filter.grant_id !== undefined) conditions.push(`grant_id = ${parameters.add(filter.grant_id)}`);
      if (filter.client_id !== undefined) conditions.push(`client_id = ${parameters.add(filter.client_id)}`);
      if (filter.since !== undefined) conditions.push(`at >= ${parameters.add(filter.since)}`);
      if (filter.before_audit_id !== undefined)
        conditions.push(`audit_id < ${parameters.add(filter.before_audit_id)}`);
      const rows = await database.peek((sql) =>
        sql.all(
          `SELECT audit_id, ${AUDIT_COLUMNS.join(", ")} FROM audit WHERE ${conditions.join(" AND ")} ORDER BY audit_id DESC LIMIT ${parameters.add(filter.limit)}`,
          parameters.values,
        ),
      );
      return rows.map((row) => omitNulls(row) as unknown as StoredAuditEntry);
    },
  } satisfies Partial<Store>;
}
