/** The audit log by day: how much each client asked for and got. */
import type { Catalog } from "../catalog/catalog.ts";
import { type Database, type SqlRow, timedIdBefore } from "../database.ts";
import type { Store } from "../store.ts";

const GROUPS_MAX = 10_000;

interface SummaryRow extends SqlRow {
  day: string;
  client_id: string;
  operation: string;
  status: number;
  requests: number | string;
  records: number | string;
  bytes: number | string;
}

/** A row with a record's id is a place that a request showed; its stream's row has the count. */
const SUMMARIZE = `SELECT substr(a.at, 1, 10) AS day, a.client_id, a.operation, a.status,
    count(DISTINCT a.request_id) + coalesce(sum(a.requests - 1), 0) AS requests,
    coalesce(sum(CASE WHEN a.record_id IS NULL THEN a.records ELSE NULL END), 0) AS records,
    coalesce(sum(a.bytes), 0) AS bytes
  FROM audit a WHERE a.owner = $1 AND a.audit_id >= $2 AND a.audit_id < $3 AND (a.progress IS NULL OR a.progress <> 'begun')
  GROUP BY substr(a.at, 1, 10), a.client_id, a.operation, a.status
  ORDER BY day, a.client_id, a.operation, a.status LIMIT ${GROUPS_MAX}`;

export function createAuditSummary(database: Database, catalog: Catalog) {
  return {
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
  } satisfies Partial<Store>;
}
