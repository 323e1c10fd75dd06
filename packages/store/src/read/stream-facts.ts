/** Facts about all records of a partition that a scope covers. Each takes a scan, so callers cache them. */
import { readLastDoc } from "../catalog/counters.ts";
import { docInScope, hasConditions, recordInScope, type ScopedContext } from "../catalog/scope-sql.ts";
import { Parameters, type SqlRow } from "../database.ts";
import { newestMark, parseMarks, RECORD_COLUMNS, type RecordRow } from "../rows/record-rows.ts";
import type { StreamFacts } from "../store.ts";
import { ChangeKind } from "../write/change-log.ts";

/** More than there are documents: a power of two, so that a length times it stays exact. */
const DOCS = 2 ** 32;

export async function describePartition(context: ScopedContext): Promise<StreamFacts> {
  const { sql, partition, selected } = context;
  const parameters = new Parameters();
  const inScope = recordInScope(context, parameters, "r");
  const times = ["min(r.time_ms)", "max(r.time_ms)"].map((end) =>
    // Separately, each end of an index is one lookup; combined with a count, or under conditions on values, it is a
    // scan.
    selected || hasConditions(partition) ? end : `(SELECT ${end} FROM records r WHERE ${inScope})`,
  );
  const [counted] = await sql.all<{ records: number; first_ms: number | null; last_ms: number | null }>(
    `SELECT count(*) AS records, ${times[0]} AS first_ms, ${times[1]} AS last_ms FROM records r WHERE ${inScope}`,
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
export interface StreamSizes {
  /** The last document that was measured. */
  readonly through_doc: number;
  readonly longest: readonly LongestText[];
}

/** `doc` has a text of this length. */
interface LongestText extends SqlRow {
  readonly field: string;
  readonly largest_chars: number;
  readonly doc: number;
}

/** Measures every record; or, while the longest texts measured earlier still exist, only those and the records written since. */
export async function readSizes(context: ScopedContext, outdated?: StreamSizes): Promise<StreamSizes> {
  const through_doc = await readLastDoc(context);
  if (!outdated) return { through_doc, longest: await findLongest(context) };
  const { isAnyNumber } = context.sql.dialect;
  const docs = outdated.longest.map(({ doc }) => doc);
  const held = await findLongest(context, (parameters) => isAnyNumber("r.doc", parameters.add(docs)));
  const isHeld = ({ field, largest_chars }: LongestText) =>
    held.some((one) => one.field === field && one.largest_chars === largest_chars);
  if (!outdated.longest.every(isHeld)) return readSizes(context);
  const added = await findLongest(context, (parameters) => `r.doc > ${parameters.add(outdated.through_doc)}`);
  const byField = new Map<string, LongestText>();
  for (const one of [...held, ...added])
    if (one.largest_chars > (byField.get(one.field)?.largest_chars ?? 0)) byField.set(one.field, one);
  return { through_doc, longest: [...byField.values()].sort((a, b) => (a.field < b.field ? -1 : 1)) };
}

/** The longest text of each granted field, of all records or of those that meet a condition on their document. */
async function findLongest(
  context: ScopedContext,
  limitDocs?: (parameters: Parameters) => string,
): Promise<LongestText[]> {
  const { sql, partition } = context;
  const parameters = new Parameters();
  const inScope = limitDocs
    ? `${docInScope(context, parameters, "r")} AND ${limitDocs(parameters)}`
    : recordInScope(context, parameters, "r");
  const granted = sql.dialect.isAnyText("t.field", parameters.add([...partition.granted]));
  return sql.all<LongestText>(
    // CROSS JOIN fixes SQLite's join order: from the partition's records to their texts, not through all texts of the owner.
    // Length and document are one number, so that the longest comes with its document.
    `SELECT m.field, m.longest / ${DOCS} AS largest_chars, m.longest % ${DOCS} AS doc FROM (
       SELECT t.field, max(t.size_chars * ${DOCS} + t.doc) AS longest FROM records r CROSS JOIN texts t
       WHERE ${inScope} AND r.cuts <> '[]' AND t.owner = r.owner AND t.doc = r.doc AND t.kind <> 'binary' AND ${granted}
       GROUP BY t.field) m ORDER BY m.field`,
    parameters.values,
  );
}
