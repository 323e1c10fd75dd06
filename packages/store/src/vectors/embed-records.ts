/**
 * Embeds records in the background: the next few in order of their documents, in any process. The service is asked outside of
 * any transaction; its answer is stored only if no other process stored these records first.
 */
import type { Catalog, Partition } from "../catalog/catalog.ts";
import { readLastDoc, type WriteContext, type WriteTarget, withCounters } from "../catalog/counters.ts";
import type { SqlContext } from "../database.ts";
import { RECORD_COLUMNS, type RecordRow } from "../rows/record-rows.ts";
import { shapeRow } from "../rows/row-shape.ts";
import { readWhole } from "../upkeep/rebuild.ts";
import type { Embedder } from "./embedder.ts";
import { listEmbeddedFields, readThroughDoc, writeThroughDoc } from "./embedders.ts";
import { cutPassages } from "./passages.ts";
import {
  countVectorBytes,
  eachPassage,
  hasDirection,
  type PassagePlace,
  quantise,
  readVectorRows,
  type StoredPassage,
  toRows,
} from "./vector-rows.ts";
import { joinSmallRows, takeVectorRows } from "./vector-upkeep.ts";

/** A step ends after the record that brings it to this many passages. */
const STEP_PASSAGES = 64;

interface NextPassage extends PassagePlace {
  readonly doc: number;
  readonly partition: number;
  readonly text: string;
}

/** The range of a step: the records after one document up to another. */
interface Step {
  readonly after: number;
  readonly through: number;
  readonly docs: readonly number[];
  readonly passages: readonly NextPassage[];
}

export interface StepOptions {
  readonly owner: number;
  readonly embedder: Embedder;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/** Embeds up to `limit` records; returns how many, or undefined when another process stored them first. */
export async function embedStep(
  target: WriteTarget,
  catalog: Catalog,
  { owner, embedder, limit, signal }: StepOptions,
): Promise<number | undefined> {
  const step = await target.database.read(owner, (sql) => planStep({ sql, owner }, catalog, embedder, limit));
  const vectors = await embedder.embed(
    step.passages.map(({ text }) => text),
    signal,
  );
  const embedded = step.passages.flatMap(({ text: _text, ...passage }, at) => {
    const vector = vectors[at] as Float32Array;
    return hasDirection(vector) ? [{ ...passage, vector: quantise(vector) }] : [];
  });
  return withCounters(target, owner, async (context) => {
    const current = await target.embedders.find(context);
    const reached = await readThroughDoc(context, embedder.id);
    if (current?.id !== embedder.id || reached !== step.after) return undefined;
    await storePassages(context, embedder, step, embedded);
    await writeThroughDoc(context, embedder.id, step.through);
    return step.docs.length;
  });
}

async function planStep(
  context: SqlContext,
  catalog: Catalog,
  embedder: Embedder,
  limit: number,
): Promise<Step> {
  const { sql, owner } = context;
  const after = await readThroughDoc(context, embedder.id);
  const rows = await sql.all<RecordRow & { part: number }>(
    `SELECT r.part, ${RECORD_COLUMNS} FROM records r WHERE r.owner = $1 AND r.doc > $2 ORDER BY r.doc LIMIT ${limit}`,
    [owner, after],
  );
  const partitions = new Map<number, Partition | undefined>();
  const carried = new Map<number, Set<string>>();
  const passages: NextPassage[] = [];
  const docs: number[] = [];
  for (const row of rows) {
    const { part: id, doc } = row;
    if (!partitions.has(id)) {
      partitions.set(id, await catalog.findPartition(context, id));
      const range = { after, through: rows.at(-1)?.doc ?? after };
      carried.set(id, await listCarried(context, { partition: id, embedder }, range));
    }
    const partition = partitions.get(id);
    docs.push(doc);
    for (const passage of partition ? await cutRecord(context, partition, row) : [])
      if (!carried.get(id)?.has(`${doc} ${passage.field}`)) passages.push(passage);
    if (passages.length >= STEP_PASSAGES) break;
  }
  const isLast = docs.length === rows.length && rows.length < limit;
  return { after, through: isLast ? await readLastDoc(context) : (docs.at(-1) ?? after), docs, passages };
}

async function cutRecord(
  context: SqlContext,
  { id, shape, fieldNames }: Partition,
  row: RecordRow,
): Promise<NextPassage[]> {
  const names = listEmbeddedFields(shape);
  if (names.length === 0) return [];
  const { readable: data } = shapeRow(shape, await readWhole(context, row));
  return names.flatMap((name) => {
    const text = Object.hasOwn(data, name) ? data[name] : undefined;
    const place = { doc: row.doc, partition: id, field: fieldNames.indexOf(name) };
    return typeof text === "string" ? cutPassages(text).map((passage) => ({ ...place, ...passage })) : [];
  });
}

/** The documents and fields, as `doc field`, that already have vectors ahead of their turn. */
export async function listCarried(
  context: SqlContext,
  { partition, embedder: { id: model, dimensions } }: { partition: number; embedder: Embedder },
  range: { readonly after: number; readonly through: number },
): Promise<Set<string>> {
  const carried = new Set<string>();
  for (const row of await readVectorRows(context, { partition, model }, range))
    eachPassage(row, countVectorBytes(dimensions), (doc, field) => carried.add(`${doc} ${field}`));
  return carried;
}

/** Stores the passages of records that are still there, together with those that they have already. */
async function storePassages(
  context: WriteContext,
  { id: model, dimensions }: Embedder,
  { after, through, docs }: Step,
  embedded: readonly (StoredPassage & { partition: number })[],
): Promise<void> {
  const { sql, owner, counters } = context;
  const rows = await sql.all<{ doc: number; part: number }>(
    `SELECT doc, part FROM records WHERE owner = $1 AND ${sql.dialect.isAnyNumber("doc", "$2")}`,
    [owner, docs],
  );
  const present = new Set(rows.map(({ doc }) => doc));
  const takeNumber = () => counters.next_run++;
  for (const partition of new Set(rows.map(({ part }) => part))) {
    const carried = await takeVectorRows(context, { partition, model }, { after, through });
    const own = embedded.filter((passage) => passage.partition === partition);
    const passages = [...carried, ...own]
      .filter(({ doc }) => present.has(doc))
      .sort((a, b) => a.doc - b.doc || a.field - b.field || a.start_chars - b.start_chars);
    await sql.insert("vectors", toRows({ owner, partition, model }, passages, takeNumber));
    const vectorBytes = countVectorBytes(dimensions);
    await joinSmallRows(context, { partition, model, vectorBytes, through_doc: through, takeNumber });
  }
}
