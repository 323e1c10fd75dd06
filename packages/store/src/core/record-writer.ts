/**
 * Writes the rows of records: the record itself, its chunks, scalars and references to blobs, and its place in the
 * index. Rows are collected and written in bulk; long texts go out as they are cut.
 */
import { parseTimeMs } from "@rungs/contract";
import { TOKENIZER_VERSION } from "@rungs/evidence";
import type { Dialect, TableName, Value, WriteSql } from "../database.ts";
import { RunBuilder } from "../index/builder.ts";
import { SORT_KEY_BYTES } from "../sizes.ts";
import { findBlobRefs } from "./blob-refs.ts";
import type { Part } from "./catalog.ts";
import { tieOf } from "./digest.ts";
import { formatMarks, type Marks } from "./marks.ts";
import type { RowShape } from "./row-shape.ts";
import { levelOf, mergeDueRuns } from "./runs.ts";
import { encodeScalar, numberOf } from "./scalars.ts";
import { type TextSink, TextWriter } from "./text-writer.ts";

const PENDING_ROWS = 256;

export interface Counters {
  next_doc: number;
  next_seq: number;
  next_run: number;
}

export interface RecordToWrite {
  readonly record_id: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly shaped: RowShape;
  readonly marks: Marks;
  readonly time_ms: number | null;
}

/** A version of a record as its row has it. */
export interface StoredVersion {
  readonly record_id: string;
  readonly doc: number;
  readonly cuts: string;
}

export class RecordWriter implements TextSink {
  readonly owner: number;
  readonly #sql: WriteSql;
  readonly #counters: Counters;
  readonly #pending = new Map<TableName, Value[][]>();
  readonly #builders = new Map<number, { part: Part; builder: RunBuilder }>();
  readonly #texts = new TextWriter(this);

  constructor(sql: WriteSql, owner: number, counters: Counters) {
    this.#sql = sql;
    this.owner = owner;
    this.#counters = counters;
  }

  get dialect(): Dialect {
    return this.#sql.dialect;
  }

  /** Writes a new version of a record under a new document number. */
  async write(part: Part, record: RecordToWrite): Promise<void> {
    const doc = this.#counters.next_doc++;
    const { record_id, data, shaped, marks, time_ms } = record;
    const cursor = part.shape.fields.find((field) => field.name === part.shape.cursor_field);
    const sort_key = (cursor && encodeScalar(cursor, data[cursor.name])?.subarray(0, SORT_KEY_BYTES)) ?? null;
    await this.add("records", [
      this.owner,
      part.part,
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
    for (const row of scalarRows(part, data))
      await this.add("scalars", [this.owner, part.part, row.field, row.value, doc, row.number]);
    for (const ref of findBlobRefs(data))
      await this.add("blob_refs", [this.owner, ref.blob_id, doc, ref.field, ref.path]);
    if (isSearchable(part)) {
      this.builderOf(part).addDoc({ doc, time_ms, tie: tieOf(part.connection_id, part.stream, record_id) });
    }
    await this.#texts.write(part, doc, data, shaped.texts);
  }

  /** Takes a version of a record away; the index forgets it when its run is merged. */
  async erase(part: Part, old: StoredVersion): Promise<void> {
    await this.remove(part, old);
    if (isSearchable(part)) await this.add("dead", [this.owner, part.part, old.doc]);
  }

  /** Takes away the rows of a version, but not its place in the index. */
  async remove(part: Part, old: StoredVersion): Promise<void> {
    await this.flush();
    await this.#sql.run("DELETE FROM records WHERE owner = $1 AND part = $2 AND record_id = $3", [
      this.owner,
      part.part,
      old.record_id,
    ]);
    const tables = old.cuts === "[]" ? ["scalars", "blob_refs"] : ["scalars", "blob_refs", "texts", "chunks"];
    for (const table of tables) {
      await this.#sql.run(`DELETE FROM ${table} WHERE owner = $1 AND doc = $2`, [this.owner, old.doc]);
    }
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
    if (rows.length > 0) await this.#sql.insert(table, rows);
    rows.length = 0;
  }

  /** Writes all that is left, and merges runs that are due. */
  async finish(): Promise<void> {
    for (const { part, builder } of this.#builders.values()) await this.#writeRun(part, builder);
    await this.flush();
    for (const { part } of this.#builders.values())
      await mergeDueRuns(this.#sql, this.owner, part.part, this.#counters);
  }

  builderOf(part: Part): RunBuilder {
    const entry = this.#builders.get(part.part) ?? { part, builder: new RunBuilder() };
    this.#builders.set(part.part, entry);
    return entry.builder;
  }

  /** Writes a run out when it has grown as large as memory allows. */
  async spill(part: Part): Promise<void> {
    const builder = this.builderOf(part);
    if (builder.isFull) await this.#writeRun(part, builder);
  }

  async #writeRun(part: Part, builder: RunBuilder): Promise<void> {
    if (builder.isEmpty) return;
    const run = this.#counters.next_run++;
    const { first_doc, last_doc, doc_count, token_count } = await builder.write((blocks) =>
      this.#sql.insert(
        "blocks",
        blocks.map((block) => [this.owner, run, block.first_key, block.body]),
      ),
    );
    await this.add("runs", [
      this.owner,
      run,
      part.part,
      levelOf(token_count),
      first_doc,
      last_doc,
      doc_count,
      token_count,
      TOKENIZER_VERSION,
    ]);
  }
}

function isSearchable(part: Part): boolean {
  return part.shape.fields.some((field) => field.lexical.length > 0);
}

/** The consent time of a record; null when the stream has none or the record does not tell it. */
export function readConsentTime(part: Part, data: Readonly<Record<string, unknown>>): number | null {
  const field = part.shape.consent_time_field;
  return (field === undefined ? undefined : parseTimeMs(data[field])) ?? null;
}

/** The filterable values of a record. */
function* scalarRows(
  part: Part,
  data: Readonly<Record<string, unknown>>,
): Generator<{ field: number; value: Uint8Array; number: number | null }> {
  for (const field of part.shape.fields) {
    if (!field.filterable || !Object.hasOwn(data, field.name)) continue;
    const value = encodeScalar(field, data[field.name]);
    if (!value) continue;
    yield { field: part.fieldNames.indexOf(field.name), value, number: numberOf(data[field.name]) };
  }
}
