/**
 * Permanent deletion: records, connections with everything in them, and the traces of deleted records in the index and
 * on disk (R73).
 */
import { ApiError } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import { type WriteContext, type WriteTarget, withCounters } from "../catalog/counters.ts";
import { EVERYONE } from "../database.ts";
import { recount } from "../owners/usage.ts";
import { dropDeadDocuments } from "../search/segments.ts";
import type { Store } from "../store.ts";
import { BatchWriter } from "./batch-writer.ts";
import { forgetUnfinishedBlobs } from "./blobs.ts";
import { dropSomeRecords } from "./drop-partition.ts";
import { deleteFormer } from "./former-values.ts";
import { deleteSyncRows } from "./syncs.ts";

export function createDeletion(target: WriteTarget, catalog: Catalog, now: () => Date) {
  const { database } = target;

  async function deleteRecords(
    owner_id: string,
    connection_id: string,
    stream: string,
    record_ids: readonly string[],
  ): Promise<number> {
    const owner = await catalog.requireOwner(owner_id);
    return withCounters(target, owner, async (context) => {
      const partition = await catalog.openWritablePartition(context, connection_id, stream);
      if (!partition) return 0;
      const at = now().toISOString();
      const writer = new BatchWriter(context, catalog, at);
      let deleted = 0;
      for (const record_id of record_ids) if (await writer.delete(partition, record_id, at)) deleted += 1;
      await writer.finish();
      return deleted;
    });
  }

  return {
    deleteRecords,
    deleteRecord: async (owner_id, connection_id, stream, record_id) =>
      (await deleteRecords(owner_id, connection_id, stream, [record_id])) === 1,

    async deleteConnection(owner_id, connection_id) {
      const owner = await catalog.requireOwner(owner_id);
      let is_left = true;
      while (is_left)
        is_left = await withCounters(target, owner, (context) => deleteSome(context, connection_id));
    },

    async purge(owner_id, { stops_others = false } = {}) {
      const owner = await catalog.requireOwner(owner_id);
      await withCounters(target, owner, async (context) => {
        const { sql, counters } = context;
        const rows = await sql.all<{ part: number }>(
          "SELECT DISTINCT part FROM dead WHERE owner = $1 ORDER BY part",
          [owner],
        );
        for (const { part } of rows) await dropDeadDocuments(sql, owner, part, counters);
        await forgetUnfinishedBlobs(context);
        await deleteFormer(context, counters.next_seq);
      });
      const owners = await database.peek(EVERYONE, (sql) => sql.all("SELECT owner FROM owners LIMIT 3"));
      const isAlone = owners.length <= 2;
      return { is_space_freed: (isAlone || stops_others) && (await database.reclaimSpace()) };
    },
  } satisfies Partial<Store>;
}

/** Deletes some records of a connection, or the connection itself once it has none; returns whether it still exists. */
async function deleteSome(context: WriteContext, connection_id: string): Promise<boolean> {
  const { sql, owner } = context;
  const condition = "owner = $1 AND connection_id = $2";
  const place = [owner, connection_id];
  const known = await sql.all(`SELECT 1 AS found FROM connections WHERE ${condition}`, place);
  if (known.length === 0) throw new ApiError("connection_not_found", { param: "connection_id" });
  if (await dropSomeRecords(context, condition, place)) return true;
  await deleteSyncRows(context, "SELECT sync_id FROM syncs WHERE owner = $1 AND connection_id = $2", place);
  for (const table of ["blob_sources", "connections"])
    await sql.run(`DELETE FROM ${table} WHERE ${condition}`, place);
  const [counted] = await sql.all(
    "SELECT 1 AS found FROM owners WHERE owner = $1 AND record_count IS NOT NULL",
    [owner],
  );
  if (counted) await recount(context);
  return false;
}
