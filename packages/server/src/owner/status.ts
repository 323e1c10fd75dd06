import type { StoredAuditEntry, StoredGrant } from "@rungs/store";
import { describeEvent, listAudit } from "./audit-events.ts";
import { listConnections } from "./connections.ts";
import type { OwnerContext } from "./owner-context.ts";

/** How much there is, and how many grants give access to it. */
interface OwnerTotals {
  readonly connections: number;
  readonly records: number;
  readonly active_grants: number;
}

/** The totals, and who read. */
export interface OwnerStatus extends OwnerTotals {
  /** The reads since a time, by client, the busiest first. */
  readonly readers: readonly ClientReads[];
}

/** What one client read. */
export interface ClientReads {
  readonly client_id: string;
  readonly reads: number;
  readonly records: number;
  readonly bytes: number;
}

/** Rows of the audit log per read. */
const PAGE_ROWS = 1_000;

/** Reads the totals, and the reads since a time. */
export async function readStatus(owner: OwnerContext, since: Date): Promise<OwnerStatus> {
  return { ...(await readTotals(owner)), readers: await countReaders(owner, since.toISOString()) };
}

/** Reads the totals. */
export async function readTotals(owner: OwnerContext): Promise<OwnerTotals> {
  const connections = await listConnections(owner);
  const streams = connections.flatMap((each) => each.streams);
  const grants = await owner.store.listGrants(owner.owner_id);
  return {
    connections: connections.length,
    records: streams.reduce((sum, { record_count }) => sum + record_count, 0),
    active_grants: grants.filter((grant) => isGrantActive(grant, owner.now())).length,
  };
}

/** Whether a grant gives access at a time. */
export function isGrantActive({ grant, revoked_at }: StoredGrant, now_ms: number): boolean {
  return revoked_at === undefined && !(Date.parse(grant.expires_at ?? "") <= now_ms);
}

async function countReaders(owner: OwnerContext, since: string): Promise<ClientReads[]> {
  const readers = new Map<string, ClientReads>();
  let before_audit_id: number | undefined;
  for (;;) {
    const rows = await listAudit(owner, { since, before_audit_id, limit: PAGE_ROWS });
    for (const row of rows) if (isRead(row)) addRead(readers, row);
    before_audit_id = rows.at(-1)?.audit_id;
    if (rows.length < PAGE_ROWS) break;
  }
  return [...readers.values()].sort((a, b) => b.reads - a.reads);
}

function isRead({ operation, status }: StoredAuditEntry): boolean {
  return describeEvent(operation) === undefined && status < 400;
}

function addRead(
  readers: Map<string, ClientReads>,
  { client_id, records = 0, bytes }: StoredAuditEntry,
): void {
  const known = readers.get(client_id) ?? { client_id, reads: 0, records: 0, bytes: 0 };
  readers.set(client_id, {
    client_id,
    reads: known.reads + 1,
    records: known.records + records,
    bytes: known.bytes + bytes,
  });
}
