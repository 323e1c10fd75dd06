/** Syncs: their settings, the lease of the process that reads them, and what they have read (R76). */
import { ApiError } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import { type WriteTarget, withCounters } from "../catalog/counters.ts";
import type { SqlContext, SqlRow, Value, WriteSql } from "../database.ts";
import type {
  Store,
  StoredSync,
  SyncBatch,
  SyncChange,
  SyncCursor,
  SyncInput,
  SyncItem,
  SyncLease,
} from "../store.ts";
import { writeEnvelopes } from "./ingest.ts";

const SYNC = "owner = $1 AND sync_id = $2";
/** Named one by one: PostgreSQL refuses a prepared statement with `*` once a newer version has added a column. */
const SYNC_COLUMNS =
  "sync_id, connection_id, body, secret, is_paused, due_ms, failure_count, holder, lease_ms, created_at";
const ITEM_COLUMNS = "collection, item, stream, record_id, others, state";

export function createSyncs(target: WriteTarget, catalog: Catalog, now: () => Date) {
  const { database } = target;
  return {
    async addSync(owner_id, sync) {
      const owner = await catalog.requireOwner(owner_id);
      return database.write(owner, async (sql) => {
        const [known] = await sql.all(`SELECT 1 AS found FROM syncs WHERE ${SYNC}`, [owner, sync.sync_id]);
        if (known) return false;
        const { sync_id, connection_id, secret = null } = sync;
        const created_at = now().toISOString();
        const row = [owner, sync_id, connection_id, writeBody(sync), secret, 0, 0, 0, null, null, created_at];
        await sql.insert("syncs", [row]);
        return true;
      });
    },

    async listSyncs(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      const rows = await database.peek(owner, (sql) =>
        sql.all<SyncRow>(`SELECT ${SYNC_COLUMNS} FROM syncs WHERE owner = $1 ORDER BY sync_id`, [owner]),
      );
      return rows.map(toSync);
    },

    async changeSync(owner_id, sync_id, change) {
      const owner = await catalog.requireOwner(owner_id);
      return database.write(owner, async (sql) => {
        const [row] = await sql.all<SyncRow>(`SELECT ${SYNC_COLUMNS} FROM syncs WHERE ${SYNC}`, [
          owner,
          sync_id,
        ]);
        if (!row) return false;
        await changeRow({ sql, owner }, toSync(row), change);
        return true;
      });
    },

    async deleteSync(owner_id, sync_id) {
      const owner = await catalog.requireOwner(owner_id);
      return database.write(owner, async (sql) => {
        const [known] = await sql.all(`SELECT 1 AS found FROM syncs WHERE ${SYNC}`, [owner, sync_id]);
        await deleteSyncRows({ sql, owner }, "$2", [owner, sync_id]);
        return known !== undefined;
      });
    },

    async leaseSync(owner_id, { sync_id, holder, gone = "" }, until_ms) {
      const owner = await catalog.requireOwner(owner_id);
      const taken = await database.write(owner, (sql) =>
        sql.run(
          `UPDATE syncs SET holder = $3, lease_ms = $4
           WHERE ${SYNC} AND (holder IS NULL OR holder = $3 OR holder = $5 OR lease_ms < $6)`,
          [owner, sync_id, holder, until_ms, gone, now().getTime()],
        ),
      );
      return taken > 0;
    },

    async releaseSync(owner_id, { sync_id, holder }) {
      const owner = await catalog.requireOwner(owner_id);
      await database.write(owner, (sql) =>
        sql.run(`UPDATE syncs SET holder = NULL, lease_ms = NULL WHERE ${SYNC} AND holder = $3`, [
          owner,
          sync_id,
          holder,
        ]),
      );
    },

    async writeSync(owner_id, lease, batch) {
      const owner = await catalog.requireOwner(owner_id);
      const { outcomes, docs } = await withCounters(target, owner, async (context) => {
        const { sql } = context;
        await requireLease({ sql, owner }, lease);
        const { connection_id, records } = batch;
        const outcomes = await writeEnvelopes(context, catalog, {
          connection_id,
          batch: records,
          now: now(),
        });
        await writeItems({ sql, owner }, lease.sync_id, batch);
        return { outcomes, docs: context.counters.next_doc };
      });
      await database.analyzeIfGrown(docs);
      return outcomes;
    },

    async listSyncCursors(owner_id, sync_id) {
      const owner = await catalog.requireOwner(owner_id);
      const rows = await database.peek(owner, (sql) =>
        sql.all<{ collection: string; cursor: string }>(
          `SELECT collection, cursor FROM sync_cursors WHERE ${SYNC} ORDER BY collection`,
          [owner, sync_id],
        ),
      );
      return rows.map(({ collection, cursor }): SyncCursor => ({ collection, cursor: JSON.parse(cursor) }));
    },

    async listSyncItems(owner_id, sync_id, query) {
      const owner = await catalog.requireOwner(owner_id);
      const place = [owner, sync_id, query.collection];
      const select = `SELECT ${ITEM_COLUMNS} FROM sync_items WHERE ${SYNC} AND collection = $3`;
      const rows = await database.peek(owner, (sql) =>
        "items" in query
          ? sql.all<ItemRow>(`${select} AND ${sql.dialect.isAnyText("item", "$4")} ORDER BY item`, [
              ...place,
              query.items,
            ])
          : sql.all<ItemRow>(`${select} AND item > $4 ORDER BY item LIMIT $5`, [
              ...place,
              query.after,
              query.limit,
            ]),
      );
      return rows.map(toItem);
    },

    async countSyncItems(owner_id, sync_id, collection, before) {
      const owner = await catalog.requireOwner(owner_id);
      const [row] = await database.peek(owner, (sql) =>
        sql.all<{ count: number }>(
          `SELECT count(*) AS count FROM sync_items WHERE ${SYNC} AND collection = $3 AND item < $4`,
          [owner, sync_id, collection, before],
        ),
      );
      return row?.count ?? 0;
    },

    async findSyncItems(owner_id, sync_id, record_ids) {
      const owner = await catalog.requireOwner(owner_id);
      const rows = await database.peek(owner, (sql) =>
        sql.all<ItemRow>(
          `SELECT ${ITEM_COLUMNS} FROM sync_items
           WHERE ${SYNC} AND ${sql.dialect.isAnyText("record_id", "$3")}`,
          [owner, sync_id, record_ids],
        ),
      );
      return rows.map(toItem);
    },
  } satisfies Partial<Store>;
}

/** Deletes all rows of the syncs that `selected` names. */
export async function deleteSyncRows(
  { sql }: SqlContext<WriteSql>,
  selected: string,
  values: readonly Value[],
): Promise<void> {
  for (const table of ["sync_runs", "sync_items", "sync_cursors", "syncs"])
    await sql.run(`DELETE FROM ${table} WHERE owner = $1 AND sync_id IN (${selected})`, values);
}

/** Fencing: another process may have taken the lease while this one was suspended, so its writes must be refused. */
async function requireLease(
  { sql, owner }: SqlContext<WriteSql>,
  { sync_id, holder }: SyncLease,
): Promise<void> {
  const [row] = await sql.all<{ holder: string | null }>(`SELECT holder FROM syncs WHERE ${SYNC}`, [
    owner,
    sync_id,
  ]);
  if (row?.holder !== holder) throw new ApiError("sync_busy");
}

async function writeItems(
  { sql, owner }: SqlContext<WriteSql>,
  sync_id: string,
  { items, removed, cursors }: SyncBatch,
): Promise<void> {
  const places = Map.groupBy([...items, ...removed], ({ collection }) => collection);
  for (const [collection, some] of places)
    await sql.run(
      `DELETE FROM sync_items WHERE ${SYNC} AND collection = $3 AND ${sql.dialect.isAnyText("item", "$4")}`,
      [owner, sync_id, collection, some.map(({ item }) => item)],
    );
  await sql.insert(
    "sync_items",
    items.map((each) => [
      owner,
      sync_id,
      each.collection,
      each.item,
      each.stream,
      each.record_id,
      JSON.stringify(each.others),
      JSON.stringify(each.state),
    ]),
  );
  for (const { collection, cursor } of cursors) {
    const key = [owner, sync_id, collection];
    await sql.run(`DELETE FROM sync_cursors WHERE ${SYNC} AND collection = $3`, key);
    if (cursor !== null) await sql.insert("sync_cursors", [[...key, JSON.stringify(cursor)]]);
  }
}

async function changeRow(
  { sql, owner }: SqlContext<WriteSql>,
  sync: StoredSync,
  change: SyncChange,
): Promise<void> {
  const { sync_id, secret = null, is_paused, due_ms, failure_count, ...input } = { ...sync, ...change };
  await sql.run(
    `UPDATE syncs SET body = $3, secret = $4, is_paused = $5, due_ms = $6, failure_count = $7 WHERE ${SYNC}`,
    [owner, sync_id, writeBody(input), secret, is_paused ? 1 : 0, due_ms, failure_count],
  );
}

interface SyncRow extends SqlRow {
  sync_id: string;
  connection_id: string;
  body: string;
  secret: string | null;
  is_paused: number;
  due_ms: number;
  failure_count: number;
  holder: string | null;
  lease_ms: number | null;
  created_at: string;
}

/** What a sync keeps as JSON. */
type SyncBody = Pick<SyncInput, "kind" | "settings" | "schedule" | "keeps_deleted">;

function writeBody({ kind, settings, schedule, keeps_deleted }: SyncBody): string {
  return JSON.stringify({ kind, settings, schedule, keeps_deleted });
}

function toSync(row: SyncRow): StoredSync {
  const { sync_id, connection_id, body, secret, is_paused, due_ms, failure_count, created_at } = row;
  const { holder, lease_ms } = row;
  return {
    sync_id,
    connection_id,
    // Only `writeBody` writes it.
    ...(JSON.parse(body) as SyncBody),
    ...(secret === null ? {} : { secret }),
    is_paused: is_paused === 1,
    due_ms,
    failure_count,
    ...(holder === null || lease_ms === null ? {} : { lease: { holder, until_ms: lease_ms } }),
    created_at,
  };
}

interface ItemRow extends SqlRow {
  collection: string;
  item: string;
  stream: string;
  record_id: string;
  others: string;
  state: string;
}

function toItem({ others, state, ...row }: ItemRow): SyncItem {
  return { ...row, others: JSON.parse(others), state: JSON.parse(state) };
}
