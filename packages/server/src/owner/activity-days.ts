import type { AuditDay } from "@rungs/store";
import { getAuditDays } from "./audit-retention.ts";
import type { OwnerContext } from "./owner-context.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** All rows of one request are written within this time. */
const REQUEST_MS = 60 * 1000;

/** Sums up the last days of the audit log by day, client, operation and status. */
export type ActivityReader = (days: number) => Promise<AuditDay[]>;

/** Creates the reader. The log only grows at its end, so it sums up each row once. */
export function createActivityReader(owner: OwnerContext): ActivityReader {
  const { store, owner_id, now } = owner;
  let sums = new Map<string, AuditDay>();
  let summed_ms = 0;

  return async (days) => {
    const first_ms = now() - Math.min(days, await getAuditDays(owner)) * DAY_MS;
    const first_day = new Date(first_ms).toISOString().slice(0, 10);
    const [from_ms, until_ms] = [Math.max(summed_ms, first_ms), now() - REQUEST_MS];
    const settled = from_ms < until_ms ? await store.summarizeAudit(owner_id, from_ms, until_ms) : [];
    // Another call may have added the same rows while this one waited.
    if (from_ms === Math.max(summed_ms, first_ms) && from_ms < until_ms) {
      sums = addDays([...sums.values(), ...settled]);
      summed_ms = until_ms;
    }
    const recent = await store.summarizeAudit(owner_id, summed_ms);
    return [...addDays([...sums.values(), ...recent]).values()].filter(({ day }) => day >= first_day);
  };
}

function addDays(rows: readonly AuditDay[]): Map<string, AuditDay> {
  const sums = new Map<string, AuditDay>();
  for (const row of rows) {
    const key = JSON.stringify([row.day, row.client_id, row.operation, row.status]);
    const sum = sums.get(key);
    sums.set(key, {
      ...row,
      requests: row.requests + (sum?.requests ?? 0),
      records: row.records + (sum?.records ?? 0),
      bytes: row.bytes + (sum?.bytes ?? 0),
    });
  }
  return sums;
}
