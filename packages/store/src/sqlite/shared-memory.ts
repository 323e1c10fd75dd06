/** Values that the servers of a database share (`changeShared`): SQLite has one server, so that they are in its memory. */
import type { SharedChange } from "../store.ts";

interface Held {
  readonly value: unknown;
  readonly expires_ms: number;
}

/** Above this many values, expired ones are dropped. */
const VALUES_MAX = 10_000;

export class SharedMemory {
  readonly #held = new Map<string, Held>();

  change<R>(key: string, now_ms: number, change: SharedChange<R>): R {
    const held = this.#held.get(key);
    const { value, kept_ms, result } = change(held && held.expires_ms > now_ms ? held.value : undefined);
    if (value === undefined) this.#held.delete(key);
    else this.#held.set(key, { value, expires_ms: now_ms + kept_ms });
    if (this.#held.size > VALUES_MAX)
      for (const [other, { expires_ms }] of this.#held) if (expires_ms <= now_ms) this.#held.delete(other);
    return result;
  }
}
