/**
 * Writes the rows of records: the record itself, its chunks, scalars and references to blobs, and its place in the
 * index. Rows are collected and written in bulk; long texts go out as they are cut.
 */
import { createHash } from "node:crypto";
import { findThread, listThreadFields, parseTimeMs } from "@rungs/contract";
import { TOKENIZER_VERSION } from "@rungs/evidence";
import type { Partition } from "../catalog/catalog.ts";
import type { WriteContext } from "../catalog/counters.ts";
import type { Dialect, SqlRow, Value } from "../database.ts";
import { SegmentBuilder } from "../index/builder.ts";
import { encodeFolded, encodeLink, FOLDED_FIELDS, LINK_FIELDS } from "../rows/folded-values.ts";
import { encodeListed } from "../rows/listed-values.ts";
import { PatternRules, TAG_FIELD } from "../rows/pattern-tags.ts";
import { computeTie, formatMarks, type Marks } from "../rows/record-rows.ts";
import type { RowShape } from "../rows/row-shape.ts";
import { encodeScalar, readNumber } from "../rows/scalars.ts";
import { SORT_KEY_BYTES } from "../rows/sizes.ts";
import { computeLevel, mergeDueSegments } from "../search/segments.ts";
import type { TableName } from "../tables.ts";
import { type ReplacedVersion, VectorWriter } from "../vectors/vector-writer.ts";
import { resolveBlobRefs } from "./blob-refs.ts";
import { DOCUMENT_TABLES, deleteDocumentRows, TEXT_TABLES } from "./document-rows.ts";
import { type TextSink, TextWriter } from "./text-writer.ts";

const PENDING_ROWS = 256;
const THREAD_BYTES = 16;

export interface RecordToWrite {
  readonly record_id: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly shaped: RowShape;
  readonly marks: Marks;
  readonly time_ms: number | null;
  /** Where the version that this one replaces was in its thread. */
  readonly replaces?: ThreadPlace | undefined;
  /** What conditions compare, where it is not the data: that of a masked copy. */
  readonly compared?: Readonly<Record<string, unknown>> | undefined;
  /** That version, and the fields in which this one differs. */
  readonly version?: ReplacedVersion | undefined;
}

/** A version of a record as stored in its row. */
export interface StoredVersion {
  readonly record_id: string;
  readonly doc: number;
  readonly cuts: string;
}

export interface ThreadPlace extends SqlRow {
  thread: Uint8Array;
  time_ms: number;
  place: number;
}

export class RecordWriter implements TextSink {
  readonly #context: WriteContext;
  readonly #pending = new Map<TableName, Value[][]>();
  readonly #builders = new Map<number, { partition: Partition; builder: SegmentBuilder }>();
  readonly #texts = new TextWriter(this);
  readonly #vectors: VectorWriter;
  #patterns: Promise<PatternRules> | undefined;

  constructor(context: WriteContext) {
    this.#context = context;
    this.#vectors = new VectorWriter(context, (row) => this.add("vectors", row));
  }

  get owner(): number {
    return this.#context.owner;
  }

  get dialect(): Dialect {
    return this.#context.sql.dialect;
  }

  /** Writes a new version of a record under a new document number. */
  async write(partition: Partition, record: RecordToWrite): Promise<void> {
    const doc = this.#context.counters.next_doc++;
    const { record_id, data, shaped, marks, time_ms } = record;
    const cursor = partition.shape.fields.find((field) => field.name === partition.shape.cursor_field);
    const sort_key = (cursor && encodeScalar(cursor, data[cursor.name])?.subarray(0, SORT_KEY_BYTES)) ?? null;
    await this.add("records", [
      this.owner,
      partition.id,
      record_id,
      doc,
      marks.seq,
      marks.emitted_at,
      formatMarks(marks),
      time_ms,
      sort_key,
      shaped.data,
      JSON.stringify(shaped.cuts),
    ]);
    for (const row of scalarRows(partition, data))
      await this.add("scalars", [this.owner, partition.id, row.field, row.value, doc, row.number]);
    for (const row of [...itemRows(partition, data), ...foldedRows(partition, data, record.compared)])
      await this.add("items", [this.owner, partition.id, row.field, row.value, doc]);
    for (const tag of (await this.#readPatterns()).list(partition, record.compared ?? data))
      await this.add("items", [this.owner, partition.id, TAG_FIELD, tag, doc]);
    await this.#writeThread(partition, doc, record);
    const { own } = await resolveBlobRefs(this.#context, partition.connection_id, data);
    for (const { blob_id, field, path } of [...own, ...shaped.encoded])
      await this.add("blob_refs", [this.owner, partition.id, blob_id, field, time_ms, doc, path]);
    if (isSearchable(partition)) {
      this.getBuilder(partition).addDoc({
        doc,
        time_ms,
        tie: computeTie(partition.connection_id, partition.stream, record_id),
      });
    }
    const vectors = await this.#vectors.begin(partition, doc, record.version);
    await this.#texts.write(partition, doc, data, shaped.texts, vectors);
  }

  /** Deletes a version of a record; the index drops it when its segment is merged. */
  async erase(partition: Partition, old: StoredVersion): Promise<void> {
    await this.remove(partition, old);
    if (isSearchable(partition)) await this.add("dead", [this.owner, partition.id, old.doc]);
  }

  /** Deletes the rows of a version, but not its index entries. */
  async remove(partition: Partition, old: StoredVersion): Promise<void> {
    await this.flush();
    await this.#context.sql.run("DELETE FROM records WHERE owner = $1 AND part = $2 AND record_id = $3", [
      this.owner,
      partition.id,
      old.record_id,
    ]);
    const tables = old.cuts === "[]" ? DOCUMENT_TABLES : [...DOCUMENT_TABLES, ...TEXT_TABLES];
    await deleteDocumentRows(this.#context, tables, [old.doc]);
  }

  /** Whether a rule by pattern may hide a version of a stream's records and not another. */
  async hasPatterns(partition: Partition): Promise<boolean> {
    return (await this.#readPatterns()).covers(partition);
  }

  #readPatterns(): Promise<PatternRules> {
    this.#patterns ??= PatternRules.read(this.#context);
    return this.#patterns;
  }

  /** The place of a version in its thread. The version that replaces it takes the same place, so that a hidden change moves nothing. */
  async findThreadPlace(
    partition: Partition,
    { doc }: { readonly doc: number },
  ): Promise<ThreadPlace | undefined> {
    if (listThreadFields(partition.shape).length === 0) return undefined;
    await this.flush();
    const [row] = await this.#context.sql.all<ThreadPlace>(
      "SELECT thread, time_ms, place FROM threads WHERE owner = $1 AND doc = $2",
      [this.owner, doc],
    );
    return row;
  }

  async #writeThread(partition: Partition, doc: number, record: RecordToWrite): Promise<void> {
    const name = findThread(partition.shape, record.data);
    const { time_ms, replaces } = record;
    if (name === undefined || time_ms === null) return;
    const thread = hashThread(name);
    const stays = replaces?.time_ms === time_ms && Buffer.compare(replaces.thread, thread) === 0;
    await this.add("threads", [this.owner, partition.id, thread, time_ms, stays ? replaces.place : doc, doc]);
  }

  async add(table: TableName, row: Value[]): Promise<void> {
    const rows = this.#pending.get(table) ?? [];
    this.#pending.set(table, rows);
    rows.push(row);
    if (rows.length >= PENDING_ROWS) await this.flushTable(table);
  }

  async flush(): Promise<void> {
    for (const table of this.#pending.keys()) await this.flushTable(table);
  }

  async flushTable(table: TableName): Promise<void> {
    const rows = this.#pending.get(table) ?? [];
    if (rows.length > 0) await this.#context.sql.insert(table, rows);
    rows.length = 0;
  }

  /** Writes the remaining rows, and merges segments that are due. */
  async finish(): Promise<void> {
    for (const { partition, builder } of this.#builders.values())
      await this.#writeSegment(partition, builder);
    await this.#vectors.finish();
    await this.flush();
    const { sql, owner, counters } = this.#context;
    await this.#vectors.join();
    for (const { partition } of this.#builders.values())
      await mergeDueSegments(sql, owner, partition.id, counters);
  }

  getBuilder(partition: Partition): SegmentBuilder {
    const entry = this.#builders.get(partition.id) ?? { partition, builder: new SegmentBuilder() };
    this.#builders.set(partition.id, entry);
    return entry.builder;
  }

  /** Writes the segment when it reaches the memory limit, and vectors that fill a row. */
  async spill(partition: Partition): Promise<void> {
    await this.#vectors.spill();
    const builder = this.getBuilder(partition);
    if (builder.isFull) await this.#writeSegment(partition, builder);
  }

  async #writeSegment(partition: Partition, builder: SegmentBuilder): Promise<void> {
    if (builder.isEmpty) return;
    const segment = this.#context.counters.next_run++;
    const { first_doc, last_doc, doc_count, token_count } = await builder.write((blocks) =>
      this.#context.sql.insert(
        "blocks",
        blocks.map((block) => [this.owner, segment, block.first_key, block.body]),
      ),
    );
    await this.add("runs", [
      this.owner,
      segment,
      partition.id,
      computeLevel(token_count),
      first_doc,
      last_doc,
      doc_count,
      token_count,
      TOKENIZER_VERSION,
    ]);
  }
}

function isSearchable(partition: Partition): boolean {
  return partition.shape.fields.some((field) => field.lexical.length > 0);
}

/** The consent time of a record; null when the stream or the record has none. */
export function readConsentTime(
  partition: Partition,
  data: Readonly<Record<string, unknown>>,
): number | null {
  const field = partition.shape.consent_time_field;
  return (field === undefined ? undefined : parseTimeMs(data[field])) ?? null;
}

/** The filterable values in the lists and persons of a record. */
function* itemRows(
  partition: Partition,
  data: Readonly<Record<string, unknown>>,
): Generator<{ field: number; value: Uint8Array }> {
  for (const field of partition.shape.fields) {
    if (!field.listed || !Object.hasOwn(data, field.name)) continue;
    for (const value of encodeListed(field, data[field.name]))
      yield { field: partition.fieldNames.indexOf(field.name), value };
  }
}

/** The folded texts of a record's filterable values, and the keys of its parents; of `compared`, where the data is a masked copy of it. */
export function* foldedRows(
  { shape, fieldNames }: Partition,
  data: Readonly<Record<string, unknown>>,
  compared?: Readonly<Record<string, unknown>>,
): Generator<{ field: number; value: Uint8Array }> {
  const whole = compared ?? data;
  for (const field of shape.fields) {
    if (!Object.hasOwn(whole, field.name)) continue;
    const number = fieldNames.indexOf(field.name) + FOLDED_FIELDS;
    for (const value of encodeFolded(field, whole[field.name], compared !== undefined))
      yield { field: number, value };
  }
  for (const foreign_key of new Set(shape.parents.map((parent) => parent.foreign_key))) {
    const value = encodeLink(whole[foreign_key]);
    if (value) yield { field: fieldNames.indexOf(foreign_key) + LINK_FIELDS, value };
  }
}

/** The filterable values of a record. */
function* scalarRows(
  partition: Partition,
  data: Readonly<Record<string, unknown>>,
): Generator<{ field: number; value: Uint8Array; number: number | null }> {
  for (const field of partition.shape.fields) {
    if (!field.aggregatable || !Object.hasOwn(data, field.name)) continue;
    const value = encodeScalar(field, data[field.name]);
    if (!value) continue;
    yield { field: partition.fieldNames.indexOf(field.name), value, number: readNumber(data[field.name]) };
  }
}

/** The key of a thread: a digest, since names can be of any length. */
function hashThread(name: string): Uint8Array {
  return createHash("sha256").update(name, "utf8").digest().subarray(0, THREAD_BYTES);
}
