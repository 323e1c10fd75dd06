/** Collects the passages of records that are written, and writes their vectors in rows. */
import type { Partition } from "../catalog/catalog.ts";
import type { WriteContext } from "../catalog/counters.ts";
import type { Value } from "../database.ts";
import type { Embedder } from "./embedder.ts";
import { listEmbeddedFields, readThroughDoc, writeThroughDoc } from "./embedders.ts";
import { type EmbeddedPartition, FieldEmbedder } from "./field-embedder.ts";
import { PassageWords } from "./passage-words.ts";
import {
  countRowPassages,
  countVectorBytes,
  quantise,
  readDocumentPassages,
  type StoredPassage,
  toRow,
  toRows,
} from "./vector-rows.ts";
import { joinSmallRows } from "./vector-upkeep.ts";

/** The version that a record replaces, and the fields in which they differ. */
export interface ReplacedVersion {
  readonly doc: number;
  readonly changed: readonly string[];
}

/** The embedder of a transaction, its progress, and the immediate embedder, if there is one. */
interface Opened {
  readonly embedder: Embedder | null;
  readonly through_doc: number;
  readonly passages: PassageWords | undefined;
  readonly rowPassages: number;
}

export class VectorWriter {
  readonly #context: WriteContext;
  readonly #addRow: (row: Value[]) => Promise<void>;
  readonly #embedded = new Map<number, EmbeddedPartition>();
  #opened: Opened | undefined;

  constructor(context: WriteContext, addRow: (row: Value[]) => Promise<void>) {
    this.#context = context;
    this.#addRow = addRow;
  }

  /**
   * Begins a document; returns what embeds the text of its fields as the index reads them. Undefined where vectors come later,
   * and where there are none.
   */
  async begin(
    partition: Partition,
    doc: number,
    replaces?: ReplacedVersion,
  ): Promise<FieldEmbedder | undefined> {
    const opened = await this.#open(doc);
    const { embedder, passages } = opened;
    if (!embedder) return undefined;
    if (passages) return new FieldEmbedder(this.#describe(partition), doc, passages);
    if (replaces) await this.#carry(opened, partition, doc, replaces);
    return undefined;
  }

  /** Writes full rows. */
  async spill(): Promise<void> {
    await this.#write(this.#opened?.rowPassages ?? 1);
  }

  /** Flushes the rest. */
  async finish(): Promise<void> {
    const { embedder, passages } = this.#opened ?? {};
    if (!embedder || !passages) return;
    await this.#write(1);
    await writeThroughDoc(this.#context, embedder.id, this.#context.counters.next_doc - 1);
  }

  /** Joins small rows, once all rows are in the table. */
  async join(): Promise<void> {
    const { embedder } = this.#opened ?? {};
    if (!embedder) return;
    for (const [partition, { fields }] of this.#embedded) {
      if (fields.size === 0) continue;
      await joinSmallRows(this.#context, {
        partition,
        model: embedder.id,
        vectorBytes: countVectorBytes(embedder.dimensions),
        through_doc: this.#context.counters.next_doc,
        takeNumber: this.#takeNumber,
      });
    }
  }

  /** Records get their vectors immediately if the embedder allows it and no earlier record is still waiting. */
  async #open(doc: number): Promise<Opened> {
    if (this.#opened) return this.#opened;
    const embedder = await this.#context.embedders.find(this.#context);
    const through_doc = embedder ? await readThroughDoc(this.#context, embedder.id) : 0;
    this.#opened = {
      embedder,
      through_doc,
      passages: embedder?.words && through_doc >= doc - 1 ? new PassageWords(embedder.words) : undefined,
      rowPassages: countRowPassages(countVectorBytes(embedder?.dimensions ?? 1)),
    };
    return this.#opened;
  }

  /**
   * Copies the vectors of unchanged fields to the new version of a record, which would otherwise have to wait for them. A change
   * of a field that a grant hides must not take a record out of what the grant compares by meaning (R17).
   */
  async #carry(
    { embedder, through_doc }: Opened,
    partition: Partition,
    doc: number,
    { doc: old, changed }: ReplacedVersion,
  ): Promise<void> {
    const { id: model, dimensions } = embedder as Embedder;
    const stored = await readDocumentPassages(this.#context, { partition: partition.id, model }, old);
    const passages: StoredPassage[] = [];
    for (const name of listEmbeddedFields(partition.shape)) {
      const field = partition.fieldNames.indexOf(name);
      const own = stored.filter((passage) => passage.field === field);
      if (changed.includes(name) || (own.length === 0 && old > through_doc)) continue;
      const none = { field, start_chars: 0, end_chars: 0, vector: quantise(new Float32Array(dimensions)) };
      passages.push(...(own.length > 0 ? own : [none]).map((passage) => ({ ...passage, doc })));
    }
    const { owner } = this.#context;
    for (const row of toRows({ owner, partition: partition.id, model }, passages, this.#takeNumber))
      await this.#addRow(row);
  }

  #describe({ id, shape, fieldNames }: Partition): EmbeddedPartition {
    const known = this.#embedded.get(id);
    if (known) return known;
    const fields = new Map(listEmbeddedFields(shape).map((name) => [name, fieldNames.indexOf(name)]));
    const described = { fields, ready: [] };
    this.#embedded.set(id, described);
    return described;
  }

  /** Writes rows while at least `least` passages of a partition are ready. */
  async #write(least: number): Promise<void> {
    const { embedder, rowPassages } = this.#opened ?? {};
    const { owner } = this.#context;
    for (const [partition, { ready }] of this.#embedded) {
      while (embedder && ready.length >= least) {
        const some = ready.splice(0, rowPassages);
        await this.#addRow(toRow({ owner, partition, model: embedder.id }, this.#takeNumber(), some));
      }
    }
  }

  /** Numbers the rows of vectors as segments of the index are numbered. */
  readonly #takeNumber = (): number => this.#context.counters.next_run++;
}
