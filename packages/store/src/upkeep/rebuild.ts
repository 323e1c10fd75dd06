/**
 * Rewrites everything derived from a partition's records under its current declaration and tokenizer: search index, vectors, scalars,
 * consent times. The records keep their content and change numbers, so clients see no change.
 */
import { type FieldPath, requireFieldPath, TOKENIZER_VERSION, valueAt } from "@rungs/evidence";
import type { Catalog, Partition } from "../catalog/catalog.ts";
import { type WriteContext, type WriteTarget, withCounters } from "../catalog/counters.ts";
import type { Sql, SqlContext } from "../database.ts";
import { readChars } from "../rows/chunks.ts";
import { parseMarks, RECORD_COLUMNS, type RecordRow } from "../rows/record-rows.ts";
import { shapeRow } from "../rows/row-shape.ts";
import type { Store, StoredCut } from "../store.ts";
import { RecordWriter, readConsentTime } from "../write/record-writer.ts";

const PAGE = 100;
const DELETE_ORPHANS =
  "DELETE FROM blocks WHERE owner = $1 AND run NOT IN (SELECT run FROM runs WHERE owner = $1)";

export async function rebuildPartition(context: WriteContext, partition: Partition): Promise<void> {
  const { sql, owner } = context;
  const place = [owner, partition.id];
  await sql.run(
    "DELETE FROM blocks WHERE owner = $1 AND run IN (SELECT run FROM runs WHERE owner = $1 AND part = $2)",
    place,
  );
  for (const table of ["runs", "dead", "vectors"])
    await sql.run(`DELETE FROM ${table} WHERE owner = $1 AND part = $2`, place);
  const writer = new RecordWriter(context);
  for (let after = ""; ; ) {
    const rows = await sql.all<RecordRow>(
      `SELECT ${RECORD_COLUMNS} FROM records r
       WHERE r.owner = $1 AND r.part = $2 AND r.record_id > $3 ORDER BY r.record_id LIMIT ${PAGE}`,
      [...place, after],
    );
    for (const row of rows) {
      const data = await readWhole(context, row);
      const replaces = await writer.findThreadPlace(partition, row);
      await writer.remove(partition, row);
      await writer.write(partition, {
        record_id: row.record_id,
        data,
        shaped: shapeRow(partition.shape, data),
        marks: parseMarks(row),
        time_ms: readConsentTime(partition, data),
        replaces,
      });
    }
    await writer.flush();
    const last = rows.at(-1);
    if (!last) break;
    after = last.record_id;
  }
  await writer.finish();
  // A masked copy lacks the values that conditions compare, so it is copied again.
  await sql.run(
    "UPDATE parts SET copied_doc = 0 WHERE owner = $1 AND part = $2 AND masks IS NOT NULL",
    place,
  );
}

/** A partition of an owner. */
type PartitionPlace = { readonly owner: number; readonly part: number };

export function createRebuild(target: WriteTarget, catalog: Catalog) {
  return {
    async rebuild(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      const parts = await target.database.peek(owner, (sql) =>
        sql.all<{ part: number }>("SELECT part FROM parts WHERE owner = $1 ORDER BY part", [owner]),
      );
      await target.database.write(owner, (sql) => sql.run(DELETE_ORPHANS, [owner]));
      for (const { part } of parts) await rebuildPlace(target, catalog, { owner, part });
    },
  } satisfies Partial<Store>;
}

/** Rebuilds a partition in one transaction; does nothing if it is gone. */
export async function rebuildPlace(
  target: WriteTarget,
  catalog: Catalog,
  { owner, part }: PartitionPlace,
): Promise<void> {
  await withCounters(target, owner, async (context) => {
    const found = await catalog.findPartition(context, part);
    if (found) await rebuildPartition(context, found);
  });
}

/** The partitions that have segments of an older tokenizer version. */
export async function listOutdated(sql: Sql): Promise<PartitionPlace[]> {
  return sql.all("SELECT DISTINCT owner, part FROM runs WHERE tokenizer < $1", [TOKENIZER_VERSION]);
}

/** A record's data with its cut values read back from their chunks. */
export async function readWhole(context: SqlContext, row: RecordRow): Promise<Record<string, unknown>> {
  const data = JSON.parse(row.data) as Record<string, unknown>;
  // Top-level values first: encoded bytes are put back inside them.
  const cuts = (JSON.parse(row.cuts) as StoredCut[]).sort((a, b) => rankKind(a) - rankKind(b));
  for (const { path, kind, size_chars } of cuts) {
    const [stored] = await context.sql.all<{ text_no: number }>(
      "SELECT text_no FROM texts WHERE owner = $1 AND doc = $2 AND path = $3",
      [context.owner, row.doc, path],
    );
    const place = { doc: row.doc, text_no: stored?.text_no ?? 0, start_char: 0, size_chars };
    const text = await readChars(context, place, 0, size_chars);
    putAt(data, requireFieldPath(path), kind === "json" ? JSON.parse(text) : text);
  }
  return data;
}

function rankKind({ kind }: StoredCut): number {
  return kind === "binary" ? 1 : 0;
}

function putAt(data: Record<string, unknown>, path: FieldPath, value: unknown): void {
  const [last, ...parents] = path.toReversed();
  const parent = valueAt(data, parents.reverse()) as Record<string | number, unknown>;
  parent[last as string] = value;
}
