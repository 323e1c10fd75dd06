/** Facts about all records of a partition that a scope covers. Each takes a scan, so callers cache them. */
import { recordInScope, type ScopedContext } from "../catalog/scope-sql.ts";
import { Parameters } from "../database.ts";
import { newestMark, parseMarks } from "../rows/marks.ts";
import { RECORD_COLUMNS, type RecordRow } from "../rows/record-rows.ts";
import type { FieldSize, StreamFacts } from "../store.ts";
import { ChangeKind } from "../write/change-log.ts";

export async function describePartition(context: ScopedContext): Promise<StreamFacts> {
  const { sql, partition } = context;
  const parameters = new Parameters();
  const [counted] = await sql.all<{ records: number; first_ms: number | null; last_ms: number | null }>(
    `SELECT count(*) AS records, min(r.time_ms) AS first_ms, max(r.time_ms) AS last_ms FROM records r WHERE ${recordInScope(context, parameters, "r")}`,
    parameters.values,
  );
  const { records = 0, first_ms = null, last_ms = null } = counted ?? {};
  const time = partition.shape.consent_time_field;
  const seesTime = time !== undefined && partition.granted.has(time);
  return {
    connection_id: partition.connection_id,
    stream: partition.stream,
    record_count: records,
    time_range: seesTime && first_ms !== null && last_ms !== null ? { first_ms, last_ms } : undefined,
    last_updated: await readLastUpdate(context),
  };
}

/** The time of the newest change that the scope sees. */
async function readLastUpdate(context: ScopedContext): Promise<string | undefined> {
  const { sql, owner, partition } = context;
  const parameters = new Parameters();
  const [row] = await sql.all<RecordRow>(
    `SELECT ${RECORD_COLUMNS} FROM changes c JOIN records r ON r.record_id = c.record_id AND ${recordInScope(context, parameters, "r")}
     WHERE c.owner = ${parameters.add(owner)} AND c.part = ${parameters.add(partition.id)}
       AND (c.kind = ${ChangeKind.created} OR ${sql.dialect.sharesText("c.fields", parameters.add([...partition.granted]))})
     ORDER BY c.seq DESC LIMIT 1`,
    parameters.values,
  );
  return row && newestMark(parseMarks(row), partition.granted).emitted_at;
}

/** The longest chunked text of each granted field. */
export async function readSizes(context: ScopedContext): Promise<FieldSize[]> {
  const { sql, partition } = context;
  const parameters = new Parameters();
  const inScope = recordInScope(context, parameters, "r");
  const granted = sql.dialect.isAnyText("t.field", parameters.add([...partition.granted]));
  const rows = await sql.all<{ field: string; largest_chars: number }>(
    // CROSS JOIN fixes SQLite's join order: from the partition's records to their texts, not through all texts of the owner.
    `SELECT t.field, max(t.size_chars) AS largest_chars FROM records r CROSS JOIN texts t
     WHERE ${inScope} AND r.cuts <> '[]' AND t.owner = r.owner AND t.doc = r.doc AND t.kind <> 'binary' AND ${granted}
     GROUP BY t.field ORDER BY t.field`,
    parameters.values,
  );
  const { connection_id, stream } = partition;
  return rows.map((row) => ({ connection_id, stream, ...row }));
}
