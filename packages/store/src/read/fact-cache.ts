/** Caches facts that take a scan over a scope's records, until the owner's records change. */
import type { ScopedPartition } from "../catalog/scoped-partition.ts";
import type { SqlContext } from "../database.ts";
import { readPosition } from "./changes.ts";

const MAX_ENTRIES = 1_000;

export class FactCache<Fact> {
  readonly #entries = new Map<string, { readonly version: string; readonly fact: Promise<Fact> }>();

  /** The fact of each partition; `find` computes those that are missing or outdated, in the snapshot of `context`, and may start from the outdated one. */
  async list(
    context: SqlContext,
    partitions: readonly ScopedPartition[],
    find: (partition: ScopedPartition, outdated?: Fact) => Promise<Fact>,
  ): Promise<Fact[]> {
    // Every change of a record takes the next sequence number, and an index rebuild takes new document numbers.
    const { next_doc, next_seq, changes_floor } = await readPosition(context);
    const version = `${next_doc}/${next_seq}`;
    const facts: Fact[] = [];
    for (const partition of partitions)
      facts.push(
        await this.#share(formatKey(context.owner, partition, changes_floor), version, (outdated) =>
          find(partition, outdated),
        ),
      );
    return facts;
  }

  /** Concurrent callers share one in-flight computation; if it fails, each retries. */
  #share(key: string, version: string, find: (outdated?: Fact) => Promise<Fact>): Promise<Fact> {
    const entry = this.#entries.get(key);
    if (entry?.version === version) return entry.fact.catch(() => find());
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear();
    const fact = entry ? entry.fact.then(find, () => find()) : find();
    this.#entries.set(key, { version, fact });
    fact.catch(() => this.#entries.delete(key));
    return fact;
  }
}

/**
 * Everything a fact depends on besides the records. The floor moves when a scope's coverage changes without a change of
 * records.
 */
function formatKey(
  owner: number,
  { id, scope, granted, shape }: ScopedPartition,
  changes_floor: number,
): string {
  return JSON.stringify([owner, id, scope, [...granted], shape.consent_time_field, changes_floor]);
}
