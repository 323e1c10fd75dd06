import type { Catalog } from "../catalog/catalog.ts";
import type { Database, Whose } from "../database.ts";
import type { Store } from "../store.ts";

/** Signals that stay in this process. */
export class Signals {
  readonly #listeners = new Map<string, Set<() => void>>();

  tell(topic: string): void {
    for (const wake of this.#listeners.get(topic) ?? []) wake();
  }

  listen(topic: string, wake: () => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(wake));
    return () => {
      listeners.delete(wake);
      if (listeners.size === 0 && this.#listeners.get(topic) === listeners) this.#listeners.delete(topic);
    };
  }

  async close(): Promise<void> {}
}

/** The topic of an owner's writes. */
export function nameWrites(owner: Whose): string {
  return `owner ${owner}`;
}

export function createSignals({ signals }: Database, catalog: Catalog) {
  return {
    tellServers: (topic) => signals.tell(topic),
    onTold: (topic, wake) => signals.listen(topic, wake),
    onWrite: async (owner_id, wake) => signals.listen(nameWrites(await catalog.requireOwner(owner_id)), wake),
  } satisfies Partial<Store>;
}
