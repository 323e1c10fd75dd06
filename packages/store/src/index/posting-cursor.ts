import { ByteReader } from "./blocks.ts";
import { type ListEntry, lastDocOf } from "./list.ts";
import { skipTo } from "./list-ranges.ts";

/** Steps through the postings of a term in a field, forward only. Entries without a wanted document are not decoded, nor what is skipped. */
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
    // This loop is most of the work of scoring a common word: what it needs is in local variables.
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
      this.#lastDoc = lastDocOf(entry);
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
