/** An owner's usage: counted once, then updated in `owners` by every write, so that a quota needs no scan. */
import { ApiError } from "@rungs/contract";
import type { SqlContext, WriteSql } from "../database.ts";
import type { OwnerQuota, OwnerUsage, StoredCut } from "../store.ts";
import type { UsageRow } from "./account.ts";

const PAGE_ROWS = 5_000;

/** The bytes of a record: its row, and its values that are stored in chunks. */
export function measureRecord({ data, cuts }: { readonly data: string; readonly cuts: string }): number {
  return Buffer.byteLength(data) + measureCuts(cuts);
}

function measureCuts(cuts: string): number {
  if (cuts === "[]") return 0;
  return (JSON.parse(cuts) as StoredCut[]).reduce((sum, { size_bytes }) => sum + size_bytes, 0);
}

/** Throws when an owner has more than the quota allows, and the transaction added to it. */
export function requireRoom(quota: OwnerQuota, row: UsageRow | undefined, added: OwnerUsage): void {
  const { record_count, byte_count } = row ?? {};
  const before = { records: (record_count ?? 0) - added.records, bytes: (byte_count ?? 0) - added.bytes };
  const full = createFull(quota, before, added);
  if (full) throw full;
}

/** Says what is full; undefined when there is room. */
export function createFull(quota: OwnerQuota, used: OwnerUsage, added: OwnerUsage): ApiError | undefined {
  for (const what of ["records", "bytes"] as const) {
    const limit = quota[what];
    if (limit === undefined || added[what] <= 0 || used[what] + added[what] <= limit) continue;
    const message = `There is no room for this: ${used[what]} of ${limit} ${what} are used, and it adds ${added[what]}.`;
    return new ApiError("quota_exceeded", { message, limit, used: used[what] });
  }
  return undefined;
}

/** Adds to the bytes of an owner whose bytes are counted; throws beyond the quota. */
export async function addBytes(
  { sql, owner }: SqlContext<WriteSql>,
  bytes: number,
  quota: OwnerQuota = {},
): Promise<void> {
  if (bytes === 0) return;
  const statement = "UPDATE owners SET byte_count = byte_count + $2 WHERE owner = $1";
  if (quota.bytes === undefined) {
    await sql.run(statement, [owner, bytes]);
    return;
  }
  const [row] = await sql.all<UsageRow>(`${statement} RETURNING record_count, byte_count`, [owner, bytes]);
  requireRoom(quota, row, { records: 0, bytes });
}

/** Counts everything again, in the transaction, and stores the counts. Masked copies are the program's, not the owner's. */
export async function recount({ sql, owner }: SqlContext<WriteSql>): Promise<OwnerUsage> {
  const own =
    "FROM records r JOIN parts p ON p.owner = r.owner AND p.part = r.part WHERE r.owner = $1 AND p.masks IS NULL";
  const [rows] = await sql.all<{ records: number; bytes: number | null }>(
    `SELECT count(*) AS records, sum(octet_length(r.data)) AS bytes ${own}`,
    [owner],
  );
  const [blobs] = await sql.all<{ bytes: number | null }>(
    "SELECT sum(size_bytes) AS bytes FROM blobs WHERE owner = $1",
    [owner],
  );
  let bytes = (rows?.bytes ?? 0) + (blobs?.bytes ?? 0);
  let after = -1;
  for (;;) {
    const page = await sql.all<{ doc: number; cuts: string }>(
      `SELECT r.doc, r.cuts ${own} AND r.cuts <> '[]' AND r.doc > $2 ORDER BY r.doc LIMIT ${PAGE_ROWS}`,
      [owner, after],
    );
    for (const { cuts } of page) bytes += measureCuts(cuts);
    if (page.length < PAGE_ROWS) break;
    after = page.at(-1)?.doc ?? after;
  }
  const usage = { records: rows?.records ?? 0, bytes };
  await sql.run("UPDATE owners SET record_count = $2, byte_count = $3 WHERE owner = $1", [
    owner,
    usage.records,
    usage.bytes,
  ]);
  return usage;
}
