/** Decides for each envelope of a batch whether it adds, changes, deletes or is rejected, and writes it. */
import { ApiError, type RecordEnvelope } from "@rungs/contract";
import { formatFieldPath } from "@rungs/evidence";
import type { Catalog, Partition, WritablePartition } from "../catalog/catalog.ts";
import type { WriteContext } from "../catalog/counters.ts";
import type { SqlContext, SqlRow } from "../database.ts";
import { type CopiedWrite, CopiedWrites } from "../masks/copied-writes.ts";
import { measureRecord } from "../owners/usage.ts";
import { advanceMarks, parseMarks } from "../rows/record-rows.ts";
import { type RowShape, shapeRow } from "../rows/row-shape.ts";
import type { IngestOutcome } from "../store.ts";
import { resolveBlobRefs } from "./blob-refs.ts";
import { deleteUnusedBlobs, listReferredBlobs } from "./blobs.ts";
import { ChangeKind, forgetChanges, recordChange } from "./change-log.ts";
import { type Checked, checkEnvelope, reject, type WritePlace } from "./check-envelope.ts";
import { keepFormerValues } from "./former-values.ts";
import { RecordWriter, readConsentTime } from "./record-writer.ts";

interface StoredRow extends SqlRow {
  record_id: string;
  doc: number;
  seq: number;
  emitted_at: string;
  marks: string | null;
  time_ms: number | null;
  data: string;
  cuts: string;
}

/** Writes the envelopes of one batch inside one transaction. */
export class BatchWriter {
  readonly #context: WriteContext;
  readonly #now: string;
  readonly #writer: RecordWriter;
  readonly #copies: CopiedWrites;
  /** Blobs that a deleted or replaced version referred to. */
  readonly #released = new Set<string>();

  constructor(context: WriteContext, catalog: Catalog, now: string) {
    this.#context = context;
    this.#now = now;
    this.#writer = new RecordWriter(context);
    this.#copies = new CopiedWrites(context, catalog);
  }

  async writeAll(
    batch: readonly RecordEnvelope[],
    findPartition: (stream: string) => WritablePartition | undefined,
  ): Promise<IngestOutcome[]> {
    const checked = batch.map((envelope) => checkEnvelope(envelope, findPartition(envelope.stream)));
    await this.#writer.flush();
    const accepted = checked.filter((one) => "partition" in one);
    const copies = new Map<Checked, readonly CopiedWrite[]>();
    for (const one of accepted) copies.set(one, await this.#copies.list(one));
    const stored = await this.#lookUp([...accepted, ...[...copies.values()].flat()]);
    const outcomes: IngestOutcome[] = [];
    for (const one of checked) {
      const outcome = "partition" in one ? await this.#apply(one, stored) : one;
      outcomes.push(outcome);
      if (!("partition" in one) || outcome.status === "unchanged" || outcome.status === "rejected") continue;
      for (const copy of copies.get(one) ?? []) await this.#apply(copy.write(), stored);
    }
    return outcomes;
  }

  async delete(partition: WritablePartition, record_id: string, emitted_at: string): Promise<boolean> {
    const key = record_id;
    const envelope = { stream: partition.stream, key, op: "delete" as const, emitted_at };
    const checked = { partition, record_id, envelope };
    await this.#writer.flush();
    const copies = await this.#copies.list(checked);
    const stored = await this.#lookUp([checked, ...copies]);
    const { status } = await this.#apply(checked, stored);
    for (const copy of copies) await this.#apply(copy.write(), stored);
    return status === "deleted";
  }

  async finish(): Promise<void> {
    await this.#writer.finish();
    await deleteUnusedBlobs(this.#context, [...this.#released]);
  }

  async #lookUp(checked: readonly WritePlace[]): Promise<Map<string, StoredRow>> {
    const wanted = new Map<number, string[]>();
    for (const { partition, record_id } of checked) {
      const keys = wanted.get(partition.id);
      if (keys) keys.push(record_id);
      else wanted.set(partition.id, [record_id]);
    }
    const found = new Map<string, StoredRow>();
    for (const [partition, keys] of wanted) {
      for (const row of await findRows(this.#context, partition, keys))
        found.set(`${partition}:${row.record_id}`, row);
    }
    return found;
  }

  /** Applies one envelope and keeps `stored` current, since a later envelope of the batch may have the same key. */
  async #apply(checked: Checked, stored: Map<string, StoredRow>): Promise<IngestOutcome> {
    const { partition, record_id, envelope, compared } = checked;
    const key = `${partition.id}:${record_id}`;
    const old = stored.get(key);
    const { stream } = partition;
    if (envelope.op === "delete") {
      if (!old) return { status: "unchanged", stream, record_id };
      await this.#erase(partition, old, envelope.emitted_at);
      this.#count(partition, old, undefined);
      stored.delete(key);
      return { status: "deleted", stream, record_id };
    }
    const data = envelope.data as Record<string, unknown>;
    const missing = await this.#findMissingBlob(partition, data);
    if (missing)
      return reject(
        new ApiError("blob_not_found", {
          param: missing,
          message: `${missing} refers to a blob that is not stored.`,
        }),
      );
    const shaped = shapeRow(partition.shape, data);
    // A masked copy may look the same while what conditions compare has changed.
    if (old && !compared && old.data === shaped.data && old.cuts === JSON.stringify(shaped.cuts))
      return { status: "unchanged", stream, record_id };
    if (old && partition.shape.semantics === "append_only")
      return reject(new ApiError("append_only_conflict", { param: "key" }));
    const put = await this.#put(checked, shaped, old);
    stored.set(key, put);
    this.#count(partition, old, put);
    return { status: old ? "changed" : "added", stream, record_id };
  }

  /** Masked copies belong to the program, and do not count against the owner's quota. */
  #count({ masks }: Partition, old: StoredRow | undefined, put: StoredRow | undefined): void {
    if (masks) return;
    const { added } = this.#context;
    added.records += (put ? 1 : 0) - (old ? 1 : 0);
    added.bytes += (put ? measureRecord(put) : 0) - (old ? measureRecord(old) : 0);
  }

  /** Writes a new version of a record in place of `old`, and its change. */
  async #put(
    { partition, record_id, envelope, compared }: Checked,
    shaped: RowShape,
    old: StoredRow | undefined,
  ): Promise<StoredRow> {
    const data = envelope.data as Record<string, unknown>;
    const { emitted_at } = envelope;
    const seq = this.#context.counters.next_seq++;
    const time_ms = readConsentTime(partition, data);
    const changed = old ? listChangedFields(old, shaped) : [];
    const marks = old
      ? advanceMarks(parseMarks(old), changed, seq, emitted_at)
      : { seq, emitted_at, others: {} };
    const moved =
      old !== undefined &&
      (compared !== undefined ||
        old.time_ms !== time_ms ||
        isSelectedBy(partition, changed) ||
        (await this.#writer.hasPatterns(partition)));
    const replaces = old && (await this.#writer.findThreadPlace(partition, old));
    const version = old && { doc: old.doc, changed };
    if (old && moved) await this.#keepValues(partition, old, seq);
    if (old) await this.#eraseVersion(partition, old);
    await recordChange(this.#context, this.#writer, {
      partition: partition.id,
      seq,
      record_id,
      emitted_at,
      changed_at: this.#now,
      kind: !old ? ChangeKind.created : moved ? ChangeKind.moved : ChangeKind.changed,
      fields: changed,
      old_time_ms: old?.time_ms ?? null,
    });
    await this.#writer.write(partition, {
      record_id,
      data,
      shaped,
      marks,
      time_ms,
      replaces,
      version,
      compared,
    });
    return {
      record_id,
      doc: this.#context.counters.next_doc - 1,
      seq: marks.seq,
      emitted_at: marks.emitted_at,
      marks: JSON.stringify(marks.others),
      time_ms,
      data: shaped.data,
      cuts: JSON.stringify(shaped.cuts),
    };
  }

  async #erase(partition: Partition, old: StoredRow, emitted_at: string): Promise<void> {
    const seq = this.#context.counters.next_seq++;
    await this.#keepValues(partition, old, seq);
    await this.#eraseVersion(partition, old);
    await forgetChanges(this.#context, partition.id, old.record_id);
    await recordChange(this.#context, this.#writer, {
      partition: partition.id,
      seq,
      record_id: old.record_id,
      emitted_at,
      changed_at: this.#now,
      kind: ChangeKind.deleted,
      fields: [],
      old_time_ms: old.time_ms,
    });
  }

  /** Keeps what conditions compare of a version, under the change that replaces it. */
  async #keepValues(partition: Partition, { doc }: StoredRow, seq: number): Promise<void> {
    await this.#writer.flush();
    await keepFormerValues(this.#context, { part: partition.id, doc, seq });
  }

  async #eraseVersion(partition: Partition, old: StoredRow): Promise<void> {
    await this.#writer.flush();
    for (const blob_id of await listReferredBlobs(this.#context, [old.doc])) this.#released.add(blob_id);
    await this.#writer.erase(partition, old);
  }

  /** The path of the first reference to a blob that the connection did not store. Rows of tables hold data, never references. */
  async #findMissingBlob(
    { connection_id, is_table }: WritablePartition,
    data: Readonly<Record<string, unknown>>,
  ): Promise<string | undefined> {
    if (is_table) return undefined;
    return (await resolveBlobRefs(this.#context, connection_id, data)).foreign?.path;
  }
}

function findRows(
  { sql, owner }: SqlContext,
  partition: number,
  record_ids: readonly string[],
): Promise<StoredRow[]> {
  return sql.all<StoredRow>(
    `SELECT record_id, doc, seq, emitted_at, marks, time_ms, data, cuts FROM records
     WHERE owner = $1 AND part = $2 AND ${sql.dialect.isAnyText("record_id", "$3")}`,
    [owner, partition, record_ids],
  );
}

/** Whether a grant's conditions can compare one of the fields, or one of them names a parent of the record. */
function isSelectedBy({ shape }: Partition, changed: readonly string[]): boolean {
  const isLink = (name: string) => shape.parents.some(({ foreign_key }) => foreign_key === name);
  return shape.fields.some(({ name, filterable }) => (filterable || isLink(name)) && changed.includes(name));
}

/** The top-level fields whose value differs, including added and removed ones. */
function listChangedFields(
  old: { data: string; cuts: string },
  shaped: { data: string; cuts: readonly { path: string }[] },
): string[] {
  const before = fieldTexts(JSON.parse(old.data), JSON.parse(old.cuts));
  const after = fieldTexts(JSON.parse(shaped.data), shaped.cuts);
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (field) => before.get(field) !== after.get(field),
  );
}

/** Each field's stored value as text; that of a cut field contains its digest. */
function fieldTexts(data: Record<string, unknown>, cuts: readonly { path: string }[]): Map<string, string> {
  const byPath = new Map(cuts.map((cut) => [cut.path, JSON.stringify(cut)]));
  return new Map(
    Object.entries(data).map(([field, value]) => [
      field,
      JSON.stringify(value) + (byPath.get(formatFieldPath([field])) ?? ""),
    ]),
  );
}
