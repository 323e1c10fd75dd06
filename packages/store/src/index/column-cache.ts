/** Columns that were asked for more than once, held in memory: a segment never changes, so they never grow old. */

/** A number of each document of a segment that has one, by rising document. */
export interface HeldColumn {
  readonly docs: Uint32Array;
  readonly values: Float64Array;
}

/** What to do for a column: it is here, or it is worth holding, or a look-up will do. */
export type Asked = HeldColumn | "hold" | "seek";

const MAX_BYTES = 64 * 1024 ** 2;
const MAX_ASKED = 100_000;

export class ColumnCache {
  readonly #max_bytes: number;
  readonly #held = new Map<string, HeldColumn>();
  readonly #asked = new Set<string>();
  #bytes = 0;

  constructor(max_bytes = MAX_BYTES) {
    this.#max_bytes = max_bytes;
  }

  /** The first question is answered by looking up, the second by holding the column from then on. */
  ask(key: string): Asked {
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

  /** Holds a column, and lets go of those that were not asked for the longest. */
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
