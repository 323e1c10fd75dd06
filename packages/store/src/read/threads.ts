/** Reads the records before and after a record in its thread, under a scope. */
import { seesThreads } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import { docInScope, recordInScope, type ScopedContext } from "../catalog/scope-sql.ts";
import { withSelected } from "../catalog/selection.ts";
import { type Database, Parameters } from "../database.ts";
import { RECORD_COLUMNS, type RecordRow } from "../rows/record-rows.ts";
import type { Store, StoredRecord } from "../store.ts";
import { readValues } from "./fit-values.ts";

/** A record with its place in its thread; null for a record that is in none. */
interface AnchorRow extends RecordRow {
  thread: Uint8Array | null;
  thread_ms: number | null;
  place: number | null;
}

const SIDES = {
  before: { compare: "<", direction: "DESC" },
  after: { compare: ">", direction: "ASC" },
} as const;

export function createThreads(database: Database, catalog: Catalog) {
  return {
    async readThread(scope, ref, { before, after, limits }) {
      const owner = await catalog.requireOwner(scope.owner_id);
      return database.read(owner, async (sql) => {
        const partition = await catalog.findScopedPartition({ sql, owner }, scope, ref);
        if (!partition) return undefined;
        const anchor = await readAnchor({ sql, owner, partition }, ref.record_id);
        if (!anchor) return undefined;
        const context = await withSelected({ sql, owner, partition });
        const toRecords = async (rows: readonly RecordRow[]) => {
          const records: StoredRecord[] = [];
          for (const row of rows) records.push(await readValues(context, row, partition.granted, limits));
          return records;
        };
        const record = await readValues(context, anchor, partition.granted, limits);
        if (anchor.thread === null || !seesThreads(partition.shape, partition.granted))
          return { visible: false, record, before: [], after: [], has_before: false, has_after: false };
        const earlier = await readSide(context, anchor, "before", before + 1);
        const later = await readSide(context, anchor, "after", after + 1);
        return {
          visible: true,
          record,
          before: await toRecords(earlier.slice(0, before).reverse()),
          after: await toRecords(later.slice(0, after)),
          has_before: earlier.length > before,
          has_after: later.length > after,
        };
      });
    },
  } satisfies Partial<Store>;
}

async function readAnchor(context: ScopedContext, record_id: string): Promise<AnchorRow | undefined> {
  const parameters = new Parameters();
  const [row] = await context.sql.all<AnchorRow>(
    `SELECT ${RECORD_COLUMNS}, t.thread, t.time_ms AS thread_ms, t.place
      FROM records r LEFT JOIN threads t ON t.owner = r.owner AND t.doc = r.doc
      WHERE ${recordInScope(context, parameters, "r")} AND r.record_id = ${parameters.add(record_id)}`,
    parameters.values,
  );
  return row;
}

/**
 * The records on one side of a record, the nearest first. A scope of single records is read by their keys: most of a long
 * thread may be outside it. `CROSS JOIN` keeps SQLite to that order.
 */
function readSide(
  context: ScopedContext,
  { thread, thread_ms, place }: AnchorRow,
  side: keyof typeof SIDES,
  limit: number,
): Promise<RecordRow[]> {
  const { sql, owner, partition } = context;
  const { compare, direction } = SIDES[side];
  const parameters = new Parameters();
  const isPicked = (context.selected ?? partition.scope.record_ids) !== undefined;
  const tables = isPicked ? "records r CROSS JOIN threads t" : "threads t CROSS JOIN records r";
  const scoped = isPicked ? recordInScope(context, parameters, "r") : docInScope(context, parameters, "r");
  const partitionColumn = isPicked ? "+t.part" : "t.part";
  return sql.all<RecordRow>(
    `SELECT ${RECORD_COLUMNS} FROM ${tables}
      WHERE ${scoped} AND r.doc = t.doc
      AND t.owner = ${parameters.add(owner)} AND ${partitionColumn} = ${parameters.add(partition.id)} AND t.thread = ${parameters.add(thread)}
      AND (t.time_ms, t.place) ${compare} (${parameters.add(thread_ms)}, ${parameters.add(place)})
      ORDER BY t.time_ms ${direction}, t.place ${direction} LIMIT ${parameters.add(limit)}`,
    parameters.values,
  );
}
