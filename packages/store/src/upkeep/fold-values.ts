/** Writes the folded values that conditions compare, for partitions of a database that has none or those of another folding. */
import type { Catalog, Partition } from "../catalog/catalog.ts";
import { type WriteContext, type WriteTarget, withCounters } from "../catalog/counters.ts";
import type { Sql, SqlContext, SqlRow } from "../database.ts";
import { FOLDED_FIELDS, FOLDING } from "../rows/folded-values.ts";
import { TAG_FIELD } from "../rows/pattern-tags.ts";
import { RECORD_COLUMNS, type RecordRow, topLevel } from "../rows/record-rows.ts";
import type { StoredCut } from "../store.ts";
import { foldedRows } from "../write/record-writer.ts";
import { readWhole } from "./rebuild.ts";

const PAGE = 500;

interface PartitionPlace {
  readonly owner: number;
  readonly part: number;
}

/** The partitions whose values an older version folded. */
export async function listUnfolded(sql: Sql): Promise<PartitionPlace[]> {
  return sql.all<PartitionPlace & SqlRow>(
    "SELECT owner, part FROM parts WHERE folding IS NULL OR folding < $1",
    [FOLDING],
  );
}

/** The same of one owner. */
export async function listUnfoldedOf({ sql, owner }: SqlContext): Promise<PartitionPlace[]> {
  return sql.all<PartitionPlace & SqlRow>(
    "SELECT owner, part FROM parts WHERE owner = $1 AND (folding IS NULL OR folding < $2)",
    [owner, FOLDING],
  );
}

/** Folds the values of a partition in one transaction. */
export async function foldPartition(
  target: WriteTarget,
  catalog: Catalog,
  { owner, part }: PartitionPlace,
): Promise<void> {
  await withCounters(target, owner, async (context) => {
    const { sql } = context;
    // A masked copy lacks the values that conditions compare, so it is copied again.
    await sql.run("UPDATE parts SET copied_doc = 0 WHERE owner = $1 AND part = $2 AND masks IS NOT NULL", [
      owner,
      part,
    ]);
    await sql.run(
      `DELETE FROM items WHERE owner = $1 AND part = $2 AND field >= ${FOLDED_FIELDS} AND field < ${TAG_FIELD}`,
      [owner, part],
    );
    const partition = await catalog.findPartition(context, part);
    if (partition) await foldRecords(context, partition);
    await sql.run("UPDATE parts SET folding = $3 WHERE owner = $1 AND part = $2", [owner, part, FOLDING]);
  });
}

async function foldRecords(context: WriteContext, partition: Partition): Promise<void> {
  const { sql, owner } = context;
  for (let after = ""; ; ) {
    const rows = await sql.all<RecordRow>(
      `SELECT ${RECORD_COLUMNS} FROM records r WHERE r.owner = $1 AND r.part = $2 AND r.record_id > $3 ORDER BY r.record_id LIMIT ${PAGE}`,
      [owner, partition.id, after],
    );
    for (const row of rows) {
      const data = isCut(partition, row) ? await readWhole(context, row) : JSON.parse(row.data);
      const values = [...foldedRows(partition, data)];
      await sql.insert(
        "items",
        values.map(({ field, value }) => [owner, partition.id, field, value, row.doc]),
      );
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.record_id;
  }
}

/** Whether a value that conditions compare is incomplete in its record's row. */
function isCut({ shape }: Partition, { cuts }: RecordRow): boolean {
  const fields = [
    ...shape.fields.filter(({ filterable }) => filterable).map(({ name }) => name),
    ...shape.parents.map(({ foreign_key }) => foreign_key),
  ];
  return (JSON.parse(cuts) as StoredCut[]).some(({ path }) => fields.includes(topLevel(path)));
}
