/** Embeds the fields of one document as the index reads them. */
import type { PassageWords } from "./passage-words.ts";
import { hasDirection, quantise, type StoredPassage } from "./vector-rows.ts";

/** The fields of a partition that have vectors, with their numbers, and the passages that wait for a row. */
export interface EmbeddedPartition {
  readonly fields: ReadonlyMap<string, number>;
  readonly ready: StoredPassage[];
}

export class FieldEmbedder {
  readonly #partition: EmbeddedPartition;
  readonly #doc: number;
  readonly #passages: PassageWords;
  readonly #left: Set<string>;

  constructor(partition: EmbeddedPartition, doc: number, passages: PassageWords) {
    this.#partition = partition;
    this.#doc = doc;
    this.#passages = passages;
    this.#left = new Set(partition.fields.keys());
  }

  /** The consumer of the words of the next field's text, up to its `end()`; undefined for a field without vectors. */
  follow(name: string, text: string): PassageWords | undefined {
    const field = this.#partition.fields.get(name);
    if (field === undefined || !this.#left.delete(name)) return undefined;
    this.#passages.begin(text, (start_chars, end_chars, vector) => {
      if (!hasDirection(vector)) return;
      this.#partition.ready.push({ doc: this.#doc, field, start_chars, end_chars, vector: quantise(vector) });
    });
    return this.#passages;
  }
}
