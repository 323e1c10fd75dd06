/** Posting lists in memory, and how to step through them. */
import { ByteReader } from "./blocks.ts";
import { ArrayRoom } from "./doc-set.ts";
import { createSkips, findLastDoc, type ListEntry } from "./list.ts";
import { skipTo } from "./list-ranges.ts";

/**
 * Steps forward through the postings of a term in a field. Decodes neither entries without a wanted document nor
 * skipped postings.
 */
export class PostingCursor {
  /** How many postings it has decoded. */
  decoded = 0;
  readonly #entries: readonly ListEntry[];
  readonly #reader = new ByteReader(new Uint8Array(0));
  #next = 0;
  #lastDoc = -1;
  /** The place of the next skip of the open entry. */
  #skip = 0;
  /** The current posting. */
  #doc = -1;
  #count = 0;

  /** `entries` are in document order. */
  constructor(entries: readonly ListEntry[]) {
    this.#entries = entries;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Adds to `sums` how often each of `docs` (ascending, after those of earlier calls) has the term, times `weight`. */
  addTo(sums: Float64Array, docs: Uint32Array, weight: number): void {
    const reader = this.#reader;
    // The hot loop of scoring a common word, so its state is in local variables.
    let { bytes, at, end } = reader;
    let lastDoc = this.#lastDoc;
    let { skips } = this.#entries[this.#next - 1] ?? NO_SKIPS;
    let skip = this.#skip;
    let current = this.#doc;
    let count = this.#count;
    let decoded = 0;
    for (let place = 0; place < docs.length; ) {
      const doc = docs[place] as number;
      if (current > doc) {
        place += 1;
        if (place < docs.length && (docs[place] as number) < current) place = skipTo(docs, place, current);
        continue;
      }
      // A document whose text spans several segments has several postings: stay at it.
      if (current === doc) sums[place]! += weight * count;
      if (at >= end || lastDoc < doc) {
        if (!this.#open(doc)) {
          current = Number.POSITIVE_INFINITY;
          at = end;
          break;
        }
        ({ bytes, at, end } = reader);
        lastDoc = this.#lastDoc;
        current = this.#doc;
        ({ skips } = this.#entries[this.#next - 1] ?? NO_SKIPS);
        skip = 0;
      }
      for (; skips?.[skip] && (skips[skip + 1] as number) < doc; skip += 2) {
        if ((skips[skip] as number) <= at) continue;
        at = skips[skip] as number;
        current = skips[skip + 1] as number;
      }
      // Decodes one posting; nearly all are one byte.
      let head = bytes[at++] as number;
      if (head >= 0x80) {
        reader.at = at - 1;
        head = reader.varint();
        at = reader.at;
      }
      count = 1;
      if (head & 1) {
        count = bytes[at++] as number;
        if (count >= 0x80) {
          reader.at = at - 1;
          count = reader.varint();
          at = reader.at;
        }
      }
      current += head >= 0x80000000 ? Math.floor(head / 2) : head >>> 1;
      decoded += 1;
    }
    reader.at = at;
    this.#skip = skip;
    this.#doc = current;
    this.#count = count;
    this.decoded += decoded;
  }

  /** Opens the next entry that does not end before `doc`. */
  #open(doc: number): boolean {
    for (;;) {
      const entry = this.#entries[this.#next++];
      if (!entry) return false;
      this.#lastDoc = findLastDoc(entry);
      if (this.#lastDoc < doc) continue;
      this.#reader.bytes = entry.body;
      this.#reader.at = entry.start;
      this.#reader.end = entry.end;
      this.#reader.varint();
      this.#doc = entry.firstDoc;
      return true;
    }
  }
}

const NO_SKIPS: Pick<ListEntry, "skips"> = {};

/** How many bytes of posting lists a read keeps, so that scoring need not read them again. */
const MAX_BYTES = 8 * 1024 ** 2;
/** The overhead of an entry beyond its bytes. */
const ENTRY_BYTES = 128;
/** How many numbers of skips are allocated at a time. */
const SKIPS = 16_384;
/** A block of a long list has three entries. */
const BLOCK_ENTRIES = 4;

/** Keeps the entries of lists in memory, up to a limit. A list that does not fit is dropped whole. */
export class HeldLists {
  readonly #lists = new Map<string, ListEntry[] | undefined>();
  /** The lists that are complete and in order. */
  readonly #sorted = new WeakSet<ListEntry[]>();
  readonly #skips = new ArrayRoom(Uint32Array, SKIPS);
  #bytes = 0;

  /** Begins a list; false if it is already known. */
  begin(name: string): boolean {
    if (this.#lists.has(name)) return false;
    this.#lists.set(name, []);
    return true;
  }

  /** The entry as it is held; undefined when the list does not fit. */
  add(name: string, { firstDoc, body, start, end }: ListEntry): ListEntry | undefined {
    const list = this.#lists.get(name);
    if (!list) return undefined;
    const size = end - start;
    const skips = createSkips(size, this.#skips);
    // A block of a long list is held as it is; of other blocks, which have other lists too, a copy of the entry.
    const held =
      size * BLOCK_ENTRIES >= body.length
        ? { firstDoc, body, start, end, skips }
        : { firstDoc, body: body.slice(start, end), start: 0, end: size, skips };
    this.#bytes += sizeOf(held, list.at(-1));
    if (this.#bytes > MAX_BYTES) {
      this.#bytes -= list.reduce(
        (sum, one, at) => sum + sizeOf(one, list[at - 1]),
        sizeOf(held, list.at(-1)),
      );
      this.#lists.set(name, undefined);
      return undefined;
    }
    list.push(held);
    return held;
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

/** What an entry adds to the one before it, which may be in the same block. */
function sizeOf({ body, skips }: ListEntry, before: ListEntry | undefined): number {
  return (before?.body === body ? 0 : body.length) + (skips?.byteLength ?? 0) + ENTRY_BYTES;
}
