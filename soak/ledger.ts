/**
 * The expected content of a database. An acknowledged batch is stored; an unanswered one is stored atomically or not at
 * all, and a read finds out which.
 */
import assert from "node:assert/strict";

/** What a batch stores under each key: the number of its note, or nothing. */
export type Batch = ReadonlyMap<string, number | undefined>;

export class Ledger {
  readonly #kept = new Map<string, number>();
  acknowledged = 0;
  /** Unanswered batches: how many turned out to be stored, and how many not. */
  readonly doubtful = { there: 0, not_there: 0 };

  get kept(): ReadonlyMap<string, number> {
    return this.#kept;
  }

  acknowledge(batch: Batch): void {
    this.acknowledged += batch.size;
    this.#apply(batch);
  }

  /** Finds out whether a batch was stored; `look` returns the number of the note under a key. */
  async settle(batch: Batch, look: (key: string) => Promise<number | undefined>): Promise<void> {
    const found = new Map<string, number | undefined>();
    for (const key of batch.keys()) found.set(key, await look(key));
    const keys = [...batch.keys()];
    const isNew = keys.every((key) => found.get(key) === batch.get(key));
    const isOld = keys.every((key) => found.get(key) === this.#kept.get(key));
    assert.ok(isNew || isOld, `a batch was stored in part: ${keys.join(", ")}`);
    this.doubtful[isNew ? "there" : "not_there"] += 1;
    if (isNew) this.#apply(batch);
  }

  #apply(batch: Batch): void {
    for (const [key, number] of batch) {
      if (number === undefined) this.#kept.delete(key);
      else this.#kept.set(key, number);
    }
  }
}
