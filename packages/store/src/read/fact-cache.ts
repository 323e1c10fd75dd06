/** Facts about all records of a scope, which take a walk over them: known until the owner's records change. */

import type { ScopedPartition } from "../catalog/catalog.ts";
import type { Sql } from "../database.ts";
import { readPosition } from "./changes.ts";

const MAX_ENTRIES = 1_000;

export class FactCache<Fact> {
  readonly #known = new Map<string, { readonly version: string; readonly fact: Promise<Fact> }>();

  /** The facts of each part, found again for those that may have changed. All is read in the snapshot of `sql`. */
  async list(
    sql: Sql,
    owner: number,
    partitions: readonly ScopedPartition[],
    find: (partition: ScopedPartition) => Promise<Fact>,
  ): Promise<Fact[]> {
    // Every change of a record takes the next number.
    const { next_seq, changes_floor } = await readPosition(sql, owner);
    const version = `${next_seq}/${changes_floor}`;
    const facts: Fact[] = [];
    for (const partition of partitions)
      facts.push(await this.#share(formatKey(owner, partition), version, () => find(partition)));
    return facts;
  }

  /** Who asks while another is walking waits for what that finds; if that fails, it looks for itself. */
  #share(key: string, version: string, find: () => Promise<Fact>): Promise<Fact> {
    const known = this.#known.get(key);
    if (known?.version === version) return known.fact.catch(find);
    if (this.#known.size >= MAX_ENTRIES) this.#known.clear();
    const fact = find();
    this.#known.set(key, { version, fact });
    fact.catch(() => this.#known.delete(key));
    return fact;
  }
}

/** What the facts depend on, beside the records. */
function formatKey(owner: number, { id, scope, granted, shape }: ScopedPartition): string {
  return JSON.stringify([owner, id, scope, [...granted], shape.consent_time_field]);
}
