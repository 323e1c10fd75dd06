/** Caches columns that were read more than once. Segments are immutable, so entries never become stale. */

/** The numbers of a segment's documents, in document order. */
export interface HeldColumn {
  readonly docs: Uint32Array;
  readonly values: Float64Array;
}

/** How to read a column: from the cache, by loading it into the cache, or by single lookups. */
export type Asked = HeldColumn | "hold" | "seek";

const MAX_BYTES = 64 * 1024 ** 2;
const MAX_ASKED = 100_000;
/** A document number and a value. */
const DOC_BYTES = 12;

export class ColumnCache {
  readonly #max_bytes: number;
  readonly #held = new Map<string, HeldColumn>();
  readonly #asked = new Set<string>();
  #bytes = 0;

  constructor(max_bytes = MAX_BYTES) {
    this.#max_bytes = max_bytes;
  }

  /**
   * The first request for a column reads by lookup; the second loads the column into the cache. A column of so many
   * documents that it would fill the cache is always looked up.
   */
  ask(key: string, docs: number): Asked {
    if (docs * DOC_BYTES > this.#max_bytes / 2) return "seek";
    const held = this.#held.get(key);
    if (held) {
      this.#held.delete(key);
      this.#held.set(key, held);
      return held;
    }
    if (this.#asked.has(key)) return "hold";
    if (this.#asked.size >= MAX_ASKED) this.#asked.clear();
    this.#asked.add(key);
    return "seek";
  }

  /** Adds a column, and evicts the least recently used ones. */
  hold(key: string, column: HeldColumn): void {
    if (this.#held.has(key)) return;
    this.#held.set(key, column);
    this.#bytes += sizeOf(column);
    for (const [oldest, dropped] of this.#held) {
      if (this.#bytes <= this.#max_bytes) return;
      this.#held.delete(oldest);
      this.#asked.delete(oldest);
      this.#bytes -= sizeOf(dropped);
    }
  }
}

function sizeOf({ docs, values }: HeldColumn): number {
  return docs.byteLength + values.byteLength;
}
