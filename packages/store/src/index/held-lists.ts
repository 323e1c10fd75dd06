import type { ListEntry } from "./list.ts";

/** How many bytes of posting lists a read keeps: those it scores with need not be read again. */
const MAX_BYTES = 8 * 1024 ** 2;
/** What an entry costs beside its bytes. */
const ENTRY_BYTES = 128;

/** Keeps the entries of lists in memory, up to a limit. A list that does not fit is dropped whole. */
export class HeldLists {
  readonly #lists = new Map<string, ListEntry[] | undefined>();
  /** The lists that are complete and in order. */
  readonly #sorted = new WeakSet<ListEntry[]>();
  #bytes = 0;

  /** Begins a list; false when it is known already. */
  begin(name: string): boolean {
    if (this.#lists.has(name)) return false;
    this.#lists.set(name, []);
    return true;
  }

  add(name: string, { firstDoc, body, start, end }: ListEntry): void {
    const list = this.#lists.get(name);
    if (!list) return;
    this.#bytes += end - start + ENTRY_BYTES;
    if (this.#bytes > MAX_BYTES) {
      this.#bytes -= list.reduce((sum, one) => sum + one.end + ENTRY_BYTES, end - start + ENTRY_BYTES);
      this.#lists.set(name, undefined);
      return;
    }
    // A copy, since the block has other lists too.
    list.push({ firstDoc, body: body.slice(start, end), start: 0, end: end - start });
  }

  has(name: string): boolean {
    return this.#lists.get(name) !== undefined;
  }

  /** The entries of a list in document order; undefined when it is not held. */
  get(name: string): readonly ListEntry[] | undefined {
    const list = this.#lists.get(name);
    if (!list || this.#sorted.has(list)) return list;
    list.sort((a, b) => a.firstDoc - b.firstDoc);
    this.#sorted.add(list);
    return list;
  }
}
