/** Collects the passages of records that are written, and writes their vectors in rows. */
import type { Partition } from "../catalog/catalog.ts";
import type { WriteContext } from "../catalog/counters.ts";
import type { Value } from "../database.ts";
import type { Embedder } from "./embedder.ts";
import { readThroughDoc, writeThroughDoc } from "./embedders.ts";
import { cutPassages, listEmbeddedFields } from "./passages.ts";
import { countVectorBytes, quantise } from "./quantise.ts";
import {
  countRowPassages,
  joinSmallRows,
  type PassagePlace,
  readPassagesOf,
  type StoredPassage,
  toRow,
  toRows,
} from "./vector-rows.ts";

interface WaitingPassage extends PassagePlace {
  readonly doc: number;
  readonly text: string;
}

/** The version that a record replaces, and the fields in which they differ. */
export interface ReplacedVersion {
  readonly doc: number;
  readonly changed: readonly string[];
}

/** The embedder of a transaction, how far its vectors have come, and whether records get theirs at once. */
interface Opened {
  readonly embedder: Embedder | null;
  readonly through_doc: number;
  readonly isInline: boolean;
  readonly rowPassages: number;
}

/** Whether a vector is not all zeros: whether its text has a known word. */
export function hasDirection(vector: Float32Array): boolean {
  for (const value of vector) if (value !== 0) return true;
  return false;
}

export class VectorWriter {
  readonly #context: WriteContext;
  readonly #addRow: (row: Value[]) => Promise<void>;
  readonly #waiting = new Map<number, WaitingPassage[]>();
  readonly #ready = new Map<number, StoredPassage[]>();
  #opened: Opened | undefined;

  constructor(context: WriteContext, addRow: (row: Value[]) => Promise<void>) {
    this.#context = context;
    this.#addRow = addRow;
  }

  async add(
    partition: Partition,
    doc: number,
    data: Readonly<Record<string, unknown>>,
    replaces?: ReplacedVersion,
  ): Promise<void> {
    const opened = await this.#open(doc);
    if (!opened.embedder) return;
    if (!opened.isInline) return replaces && this.#carry(opened, partition, doc, replaces);
    for (const name of listEmbeddedFields(partition.shape)) {
      const text = Object.hasOwn(data, name) ? data[name] : undefined;
      if (typeof text !== "string") continue;
      const field = partition.fieldNames.indexOf(name);
      for (const passage of cutPassages(text)) {
        const waiting = this.#waiting.get(partition.id) ?? [];
        this.#waiting.set(partition.id, waiting);
        waiting.push({ doc, field, ...passage });
        if (waiting.length >= opened.rowPassages) await this.#embed(opened.embedder, partition.id, waiting);
      }
    }
  }

  /** Embeds what is left. */
  async finish(): Promise<void> {
    const { embedder, isInline } = this.#opened ?? {};
    if (!embedder || !isInline) return;
    for (const [partition, waiting] of this.#waiting) {
      await this.#embed(embedder, partition, waiting);
      await this.#write(embedder, partition, 1);
    }
    await writeThroughDoc(this.#context, embedder.id, this.#context.counters.next_doc - 1);
  }

  /** Joins small rows, once all rows are in the table. */
  async join(): Promise<void> {
    const { embedder } = this.#opened ?? {};
    if (!embedder) return;
    for (const partition of this.#waiting.keys())
      await joinSmallRows(this.#context, {
        partition,
        model: embedder.id,
        vectorBytes: countVectorBytes(embedder.dimensions),
        through_doc: this.#context.counters.next_doc,
        takeNumber: this.#takeNumber,
      });
  }

  /** Records get their vectors at once where the embedder allows it and no earlier record waits for its own. */
  async #open(doc: number): Promise<Opened> {
    if (this.#opened) return this.#opened;
    const embedder = await this.#context.embedders.find(this.#context);
    const through_doc = embedder ? await readThroughDoc(this.#context, embedder.id) : 0;
    this.#opened = {
      embedder,
      through_doc,
      isInline: embedder?.isInline === true && through_doc >= doc - 1,
      rowPassages: countRowPassages(countVectorBytes(embedder?.dimensions ?? 1)),
    };
    return this.#opened;
  }

  /**
   * Copies the vectors of fields that did not change to the new version of a record that would have to wait for them. A change
   * of a field that a grant hides must not take a record out of what the grant compares by meaning (R17).
   */
  async #carry(
    { embedder, through_doc }: Opened,
    partition: Partition,
    doc: number,
    { doc: old, changed }: ReplacedVersion,
  ): Promise<void> {
    const { id: model, dimensions } = embedder as Embedder;
    const stored = await readPassagesOf(this.#context, { partition: partition.id, model }, old);
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

  async #embed(embedder: Embedder, partition: number, waiting: WaitingPassage[]): Promise<void> {
    const ready = this.#ready.get(partition) ?? [];
    this.#ready.set(partition, ready);
    const vectors = await embedder.embed(waiting.map(({ text }) => text));
    for (const [at, { doc, field, start_chars, end_chars }] of waiting.entries()) {
      const vector = vectors[at] as Float32Array;
      if (hasDirection(vector)) ready.push({ doc, field, start_chars, end_chars, vector: quantise(vector) });
    }
    waiting.length = 0;
    await this.#write(embedder, partition, this.#opened?.rowPassages ?? 1);
  }

  /** Writes rows while at least `least` passages are ready. */
  async #write({ id: model }: Embedder, partition: number, least: number): Promise<void> {
    const ready = this.#ready.get(partition) ?? [];
    const { owner } = this.#context;
    while (ready.length >= least) {
      const some = ready.splice(0, this.#opened?.rowPassages ?? 1);
      await this.#addRow(toRow({ owner, partition, model }, this.#takeNumber(), some));
    }
  }

  /** Numbers the rows of vectors as segments of the index are numbered. */
  readonly #takeNumber = (): number => this.#context.counters.next_run++;
}
