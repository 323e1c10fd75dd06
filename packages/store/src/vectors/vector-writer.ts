/** Collects the passages of records that are written, and writes their vectors in rows. */
import type { Partition } from "../catalog/catalog.ts";
import type { Value } from "../database.ts";
import type { Embedder } from "./embedder.ts";
import { cutPassages, listEmbeddedFields } from "./passages.ts";
import { quantise } from "./quantise.ts";
import { type PassagePlace, ROW_PASSAGES, type StoredPassage, toRow } from "./vector-rows.ts";

interface WaitingPassage extends PassagePlace {
  readonly doc: number;
  readonly text: string;
}

interface VectorSink {
  readonly owner: number;
  takeNumber(): number;
  addRow(row: Value[]): Promise<void>;
}

/** Whether a vector is not all zeros: whether its text has a known word. */
export function hasDirection(vector: Float32Array): boolean {
  for (const value of vector) if (value !== 0) return true;
  return false;
}

export class VectorWriter {
  readonly #sink: VectorSink;
  readonly #embedder: Embedder | null;
  readonly #waiting = new Map<number, WaitingPassage[]>();
  readonly #ready = new Map<number, StoredPassage[]>();

  constructor(sink: VectorSink, embedder: Embedder | null) {
    this.#sink = sink;
    this.#embedder = embedder;
  }

  /** The partitions that got passages. */
  get partitions(): Iterable<number> {
    return this.#waiting.keys();
  }

  async add(partition: Partition, doc: number, data: Readonly<Record<string, unknown>>): Promise<void> {
    if (!this.#embedder) return;
    for (const name of listEmbeddedFields(partition.shape)) {
      const text = Object.hasOwn(data, name) ? data[name] : undefined;
      if (typeof text !== "string") continue;
      const field = partition.fieldNames.indexOf(name);
      for (const passage of cutPassages(text)) {
        const waiting = this.#waiting.get(partition.id) ?? [];
        this.#waiting.set(partition.id, waiting);
        waiting.push({ doc, field, ...passage });
        if (waiting.length >= ROW_PASSAGES) await this.#embed(this.#embedder, partition.id, waiting);
      }
    }
  }

  /** Writes what is left. */
  async finish(): Promise<void> {
    if (!this.#embedder) return;
    for (const [partition, waiting] of this.#waiting) {
      await this.#embed(this.#embedder, partition, waiting);
      await this.#write(this.#embedder, partition, 1);
    }
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
    await this.#write(embedder, partition, ROW_PASSAGES);
  }

  /** Writes rows while at least `least` passages are ready. */
  async #write({ id }: Embedder, partition: number, least: number): Promise<void> {
    const ready = this.#ready.get(partition) ?? [];
    while (ready.length >= least) {
      const some = ready.splice(0, ROW_PASSAGES);
      await this.#sink.addRow(
        toRow({ owner: this.#sink.owner, partition, model: id }, this.#sink.takeNumber(), some),
      );
    }
  }
}
