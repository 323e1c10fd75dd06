/** Sets of documents as bitmaps: one bit a document, in pages that exist only where the set has documents. */

/** Documents in one page. */
export const PAGE_DOCS = 4_096;
export const PAGE_SHIFT = 12;
const PAGE_WORDS = PAGE_DOCS / 32;
const NO_DOCS = new Uint32Array(PAGE_WORDS);
/** Ranges closer than this many pages are read as one. */
const NEAR_PAGES = 2;
/** A list is read in at most this many ranges of a segment. */
const MAX_RANGES = 16;

/** The least size of a batch of documents, except for the last. */
const LEAST_BATCH = 1_024;

/** First and last document. */
export type DocRange = readonly [first: number, last: number];

/** The documents that a read may look at. */
export interface DocFilter {
  has(doc: number): boolean;
  /** Whether it may have a document from `first` to `last`. */
  hasWithin(first: number, last: number): boolean;
  /** A few ranges that contain all its documents from `first` to `last`. */
  listRanges(first: number, last: number): DocRange[];
  /** Removes from `docs` what it does not have. */
  limit(docs: DocSet): void;
}

export class DocSet implements DocFilter {
  readonly #pages: (Uint32Array | undefined)[] = [];
  readonly #room = new ArrayRoom(Uint32Array, 32 * PAGE_WORDS);
  #firstPage = 0;

  static of(docs: Iterable<number>): DocSet {
    const set = new DocSet();
    for (const doc of docs) set.add(doc);
    return set;
  }

  add(doc: number): void {
    this.openPage(doc >>> PAGE_SHIFT)[(doc & (PAGE_DOCS - 1)) >>> 5]! |= 1 << (doc & 31);
  }

  /** The writable bits of a page, for loops over many documents. */
  openPage(number: number): Uint32Array {
    return this.#pages[number - this.#firstPage] ?? this.#addPage(number);
  }

  has(doc: number): boolean {
    const page = this.#pages[(doc >>> PAGE_SHIFT) - this.#firstPage];
    return page !== undefined && ((page[(doc & (PAGE_DOCS - 1)) >>> 5] as number) & (1 << (doc & 31))) !== 0;
  }

  hasWithin(first: number, last: number): boolean {
    for (let doc = first; doc <= last; ) {
      const page = this.#pages[(doc >>> PAGE_SHIFT) - this.#firstPage];
      const word = page ? (page[(doc & (PAGE_DOCS - 1)) >>> 5] as number) : 0;
      if (!page) doc = ((doc >>> PAGE_SHIFT) + 1) * PAGE_DOCS;
      else if (word === 0) doc = ((doc >>> 5) + 1) * 32;
      else if ((word & (1 << (doc & 31))) !== 0) return true;
      else doc += 1;
    }
    return false;
  }

  listRanges(first: number, last: number): DocRange[] {
    const ranges: [number, number][] = [];
    let apart = NEAR_PAGES;
    do {
      ranges.length = 0;
      for (const page of this.listPages(first, last)) {
        const before = ranges.at(-1);
        if (before && page * PAGE_DOCS - before[1] <= apart * PAGE_DOCS) before[1] = endOf(page, last);
        else ranges.push([Math.max(first, page * PAGE_DOCS), endOf(page, last)]);
      }
      apart *= 4;
    } while (ranges.length > MAX_RANGES);
    return ranges;
  }

  get isEmpty(): boolean {
    return !this.#pages.some(hasBits);
  }

  get size(): number {
    let size = 0;
    for (const page of this.#pages) if (page) size += countAll(page);
    return size;
  }

  /** The numbers of its pages that have documents, ascending. */
  listPages(first = 0, last = Number.POSITIVE_INFINITY): number[] {
    const found: number[] = [];
    const from = Math.max(0, (first >>> PAGE_SHIFT) - this.#firstPage);
    const to = Math.min(this.#pages.length - 1, Math.floor(last / PAGE_DOCS) - this.#firstPage);
    for (let at = from; at <= to; at += 1) if (hasBits(this.#pages[at])) found.push(at + this.#firstPage);
    return found;
  }

  /** How many documents a page has. */
  countPage(page: number): number {
    return countAll(this.#pages[page - this.#firstPage] ?? NO_DOCS);
  }

  /** The documents of one page, ascending. */
  listPage(page: number): Uint32Array {
    const words = this.#pages[page - this.#firstPage];
    if (!words) return new Uint32Array(0);
    const docs = new Uint32Array(this.countPage(page));
    let length = 0;
    for (let at = 0; at < PAGE_WORDS; at += 1) {
      for (let word = words[at] as number; word !== 0; word &= word - 1)
        docs[length++] = page * PAGE_DOCS + at * 32 + (31 - Math.clz32(word & -word));
    }
    return docs;
  }

  /** All documents, ascending. */
  list(): Uint32Array {
    return join(this.listPages().map((page) => this.listPage(page)));
  }

  /** All documents, ascending, a page at a time; joins sparse pages, since each batch has a fixed cost. */
  *listBatches(): Generator<Uint32Array> {
    let pages: Uint32Array[] = [];
    let length = 0;
    for (const page of this.listPages()) {
      const docs = this.listPage(page);
      pages.push(docs);
      length += docs.length;
      if (length < LEAST_BATCH) continue;
      yield join(pages);
      pages = [];
      length = 0;
    }
    if (length > 0) yield join(pages);
  }

  /** Its last `count` documents, ascending. */
  listLast(count: number): Uint32Array {
    const pages: Uint32Array[] = [];
    let left = count;
    for (const number of this.listPages().reverse()) {
      if (left <= 0) break;
      const docs = this.listPage(number);
      pages.unshift(docs.subarray(Math.max(0, docs.length - left)));
      left -= docs.length;
    }
    return Uint32Array.from(pages.flatMap((docs) => [...docs]));
  }

  /** Adds all documents of another set. */
  unite(other: DocSet): this {
    for (let at = 0; at < other.#pages.length; at += 1) {
      const theirs = other.#pages[at];
      if (!theirs) continue;
      const number = at + other.#firstPage;
      const page = this.#pages[number - this.#firstPage] ?? this.#addPage(number);
      for (let word = 0; word < PAGE_WORDS; word += 1) page[word]! |= theirs[word] as number;
    }
    return this;
  }

  limit(docs: DocSet): void {
    docs.intersect(this);
  }

  /** Keeps the documents that another set has too. */
  intersect(other: DocSet): this {
    for (const [page, theirs] of this.#pair(other))
      for (let word = 0; word < PAGE_WORDS; word += 1) page[word]! &= theirs[word] as number;
    return this;
  }

  /** Removes the documents of another set. */
  subtract(other: DocSet): this {
    for (const [page, theirs] of this.#pair(other))
      for (let word = 0; word < PAGE_WORDS; word += 1) page[word]! &= ~(theirs[word] as number);
    return this;
  }

  /** Its pages, each with the same page of another set. */
  *#pair(other: DocSet): Generator<[own: Uint32Array, theirs: Uint32Array]> {
    for (const [at, page] of this.#pages.entries())
      if (page) yield [page, other.#pages[at + this.#firstPage - other.#firstPage] ?? NO_DOCS];
  }

  #addPage(number: number): Uint32Array {
    const page = this.#room.take(PAGE_WORDS);
    if (this.#pages.length === 0) this.#firstPage = number;
    while (number < this.#firstPage) {
      this.#pages.unshift(undefined);
      this.#firstPage -= 1;
    }
    while (this.#pages.length <= number - this.#firstPage) this.#pages.push(undefined);
    this.#pages[number - this.#firstPage] = page;
    return page;
  }
}

/** Allocates short arrays of zeros together: an array that has its own memory costs more than to fill it. */
export class ArrayRoom<T extends Uint32Array | Uint8ClampedArray> {
  readonly #type: new (
    length: number,
  ) => T;
  /** How many numbers are allocated at a time, in the end. */
  readonly #most: number;
  #free: T;
  #used = 0;

  constructor(type: new (length: number) => T, most: number) {
    this.#type = type;
    this.#most = most;
    this.#free = new type(0);
  }

  take(length: number): T {
    if (this.#used + length > this.#free.length) {
      this.#free = new this.#type(Math.max(length, Math.min(this.#most, 2 * this.#free.length)));
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += length;
    return this.#free.subarray(start, this.#used) as T;
  }
}

/** All documents but those of a set. */
export class AllBut implements DocFilter {
  readonly #without: DocSet;

  constructor(without: DocSet) {
    this.#without = without;
  }

  has(doc: number): boolean {
    return !this.#without.has(doc);
  }

  hasWithin(): boolean {
    return true;
  }

  listRanges(first: number, last: number): DocRange[] {
    return [[first, last]];
  }

  limit(docs: DocSet): void {
    docs.subtract(this.#without);
  }
}

function join(parts: readonly Uint32Array[]): Uint32Array {
  const joined = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let length = 0;
  for (const part of parts) {
    joined.set(part, length);
    length += part.length;
  }
  return joined;
}

function endOf(page: number, last: number): number {
  return Math.min(last, page * PAGE_DOCS + PAGE_DOCS - 1);
}

function hasBits(page: Uint32Array | undefined): boolean {
  if (page) for (let at = 0; at < PAGE_WORDS; at += 1) if (page[at] !== 0) return true;
  return false;
}

function countAll(page: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < PAGE_WORDS; at += 1) if (page[at] !== 0) count += countBits(page[at] as number);
  return count;
}

function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
