import { BlockCursor } from "./block.ts";
import { compareBytes } from "./bytes.ts";
import { firstNumber } from "./keys.ts";
import type { ListEntry } from "./list.ts";

/** Visits the entries of one list once each, although the same block may be in several ranges. */
export class ListVisitor {
  readonly #list: Uint8Array;
  readonly #visit: (entry: ListEntry) => void;
  readonly #seen: Set<string> | undefined;
  #lastKey: Uint8Array = new Uint8Array(0);

  /** Ranges that are not visited in order share the keys that they have `seen`. */
  constructor(list: Uint8Array, visit: (entry: ListEntry) => void, seen?: Set<string>) {
    this.#list = list;
    this.#visit = visit;
    this.#seen = seen;
  }

  /** Visits the entries of blocks, and returns the key of the last; undefined when none was new. */
  visit(bodies: readonly Uint8Array[]): Uint8Array | undefined {
    let last: Uint8Array | undefined;
    for (const body of bodies) {
      const cursor = new BlockCursor(body);
      let lastKey: Uint8Array | undefined;
      while (cursor.next()) {
        const { key, keyLength } = cursor;
        if (!startsWith(key, keyLength, this.#list)) continue;
        if (!lastKey && compareBytes(key, keyLength, this.#lastKey, this.#lastKey.length) <= 0) continue;
        lastKey = key.slice(0, keyLength);
        if (this.#isSeen(lastKey)) continue;
        this.#visit(entryAt(cursor, this.#list.length));
      }
      if (lastKey) this.#lastKey = last = lastKey;
    }
    return last;
  }

  #isSeen(key: Uint8Array): boolean {
    if (!this.#seen) return false;
    const name = String.fromCharCode(...key.subarray(this.#list.length));
    if (this.#seen.has(name)) return true;
    this.#seen.add(name);
    return false;
  }
}

/** The cursor's current entry. */
export function entryAt(cursor: BlockCursor, listEnd: number): ListEntry {
  return {
    firstDoc: firstNumber(cursor.key, listEnd),
    body: cursor.body,
    start: cursor.valueStart,
    end: cursor.valueEnd,
  };
}

function startsWith(key: Uint8Array, keyLength: number, prefix: Uint8Array): boolean {
  if (keyLength < prefix.length) return false;
  for (let at = prefix.length - 1; at >= 0; at -= 1) if (key[at] !== prefix[at]) return false;
  return true;
}
