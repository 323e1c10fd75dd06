import { ByteReader } from "./bytes.ts";
import type { ListEntry } from "./list.ts";
import { lowerBound } from "./list-ranges.ts";

/** From this ratio of lengths on, binary search in the longer list is faster than a scan. */
const SEEK_RATIO = 16;
/** A table over a range of numbers is worth it when at least one in this many is in a list. */
const DENSE_RATIO = 8;

/** Documents, ascending, with frequencies. Frequencies are fractional when occurrences count less than one. */
export interface Postings {
  readonly docs: Uint32Array;
  readonly counts: Uint32Array | Float64Array;
}

/** Collects postings; adds up the frequencies of consecutive equal documents. */
export class PostingsBuilder {
  #docs = new Uint32Array(256);
  #counts = new Uint32Array(256);
  #length = 0;

  add(doc: number, count: number): void {
    const last = this.#length - 1;
    if (last >= 0 && this.#docs[last] === doc) {
      this.#counts[last] = (this.#counts[last] as number) + count;
      return;
    }
    if (this.#length === this.#docs.length) this.#reserve(1);
    this.#docs[this.#length] = doc;
    this.#counts[this.#length++] = count;
  }

  /** Adds the postings of an entry. This loop is most of the work of a search for a common word. */
  addEntry(entry: ListEntry): void {
    const { body, start, end } = entry;
    const reader = new ByteReader(body, start, end);
    reader.varint();
    this.#reserve(end - reader.at);
    let doc = entry.firstDoc;
    const first = reader.varint();
    this.add(doc, first & 1 ? reader.varint() : 1);
    const docs = this.#docs;
    const counts = this.#counts;
    let length = this.#length;
    for (let at = reader.at; at < end; ) {
      let head = body[at++] as number;
      if (head >= 0x80) {
        reader.at = at - 1;
        head = reader.varint();
        at = reader.at;
      }
      let count = 1;
      if (head & 1) {
        reader.at = at;
        count = reader.varint();
        at = reader.at;
      }
      const gap = head >= 0x80000000 ? Math.floor(head / 2) : head >>> 1;
      if (gap === 0) {
        counts[length - 1] = (counts[length - 1] as number) + count;
        continue;
      }
      doc += gap;
      docs[length] = doc;
      counts[length++] = count;
    }
    this.#length = length;
  }

  take(): Postings {
    return { docs: this.#docs.subarray(0, this.#length), counts: this.#counts.subarray(0, this.#length) };
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#docs.length) return;
    const size = Math.max(this.#docs.length * 2, this.#length + more);
    this.#docs = grown(this.#docs, size);
    this.#counts = grown(this.#counts, size);
  }
}

/** Collects numbers. */
export class NumberBuilder {
  length = 0;
  #numbers = new Uint32Array(64);

  add(number: number): void {
    if (this.length === this.#numbers.length) this.#numbers = grown(this.#numbers, this.length * 2);
    this.#numbers[this.length++] = number;
  }

  take(): Uint32Array {
    return this.#numbers.subarray(0, this.length);
  }
}

/** The intersection of two ascending lists. */
export function intersect(a: Uint32Array, b: Uint32Array): Uint32Array {
  const [few, many] = a.length <= b.length ? [a, b] : [b, a];
  const common = new Uint32Array(few.length);
  let length = 0;
  if (few.length * SEEK_RATIO < many.length) {
    for (const doc of few) if (many[lowerBound(many, doc)] === doc) common[length++] = doc;
    return common.subarray(0, length);
  }
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const x = a[i] as number;
    const y = b[j] as number;
    if (x === y) common[length++] = x;
    if (x <= y) i += 1;
    if (y <= x) j += 1;
  }
  return common.subarray(0, length);
}

/** The difference of two ascending lists. */
export function subtract(from: Uint32Array, taken: Uint32Array): Uint32Array {
  if (taken.length === 0) return from;
  let at = 0;
  return from.filter((doc) => {
    while (at < taken.length && (taken[at] as number) < doc) at += 1;
    return taken[at] !== doc;
  });
}

/** The union of ascending lists, ascending and without duplicates. */
export function unite(lists: readonly Uint32Array[]): Uint32Array {
  let all = lists.filter(({ length }) => length > 0);
  if (all.length > 2 && isDense(all)) return uniteDense(all);
  while (all.length > 1) {
    const paired: Uint32Array[] = [];
    for (let at = 0; at < all.length; at += 2) {
      const [a, b] = [all[at] as Uint32Array, all[at + 1]];
      paired.push(!b || b.length === 0 ? a : a.length === 0 ? b : uniteTwo(a, b));
    }
    all = paired;
  }
  return all[0] ?? new Uint32Array(0);
}

/** Merges posting lists: adds up the frequencies of a document, each multiplied by the weight of its list. */
export function addUp(lists: readonly { readonly postings: Postings; readonly weight: number }[]): Postings {
  const [only] = lists;
  if (!only) return { docs: new Uint32Array(0), counts: new Uint32Array(0) };
  if (lists.length === 1 && only.weight === 1) return only.postings;
  const docs = unite(lists.map(({ postings }) => postings.docs));
  const counts = new Float64Array(docs.length);
  for (const { postings, weight } of lists) {
    for (let at = 0, from = 0; from < postings.docs.length; from += 1) {
      while (docs[at] !== postings.docs[from]) at += 1;
      counts[at]! += weight * (postings.counts[from] as number);
    }
  }
  return { docs, counts };
}

/** The postings of the documents that `allows` accepts; all of them when it is undefined. */
export function keep(postings: Postings, allows: ((doc: number) => boolean) | undefined): Postings {
  if (!allows) return postings;
  const { docs, counts } = postings;
  const kept = new Uint32Array(docs.length);
  const keptCounts = new Float64Array(docs.length);
  let length = 0;
  for (let at = 0; at < docs.length; at += 1) {
    if (!allows(docs[at] as number)) continue;
    kept[length] = docs[at] as number;
    keptCounts[length++] = counts[at] as number;
  }
  return { docs: kept.subarray(0, length), counts: keptCounts.subarray(0, length) };
}

/** Whether lists are dense enough that a table over their range is cheaper than merging. */
function isDense(lists: readonly Uint32Array[]): boolean {
  const { first, last } = findRange(lists);
  const numbers = lists.reduce((sum, { length }) => sum + length, 0);
  return numbers * DENSE_RATIO > last - first;
}

function uniteDense(lists: readonly Uint32Array[]): Uint32Array {
  const { first, last } = findRange(lists);
  const seen = new Uint8Array(last - first + 1);
  let count = 0;
  for (const list of lists) {
    for (let at = 0; at < list.length; at += 1) {
      const place = (list[at] as number) - first;
      count += 1 - (seen[place] as number);
      seen[place] = 1;
    }
  }
  const all = new Uint32Array(count);
  for (let place = 0, length = 0; length < count; place += 1)
    if (seen[place] === 1) all[length++] = first + place;
  return all;
}

function findRange(lists: readonly Uint32Array[]): { first: number; last: number } {
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const list of lists) {
    first = Math.min(first, list[0] as number);
    last = Math.max(last, list.at(-1) as number);
  }
  return { first, last };
}

function uniteTwo(a: Uint32Array, b: Uint32Array): Uint32Array {
  const all = new Uint32Array(a.length + b.length);
  let length = 0;
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const x = a[i] as number;
    const y = b[j] as number;
    all[length++] = Math.min(x, y);
    if (x <= y) i += 1;
    if (y <= x) j += 1;
  }
  for (; i < a.length; i += 1) all[length++] = a[i] as number;
  for (; j < b.length; j += 1) all[length++] = b[j] as number;
  return all.subarray(0, length);
}

function grown(from: Uint32Array<ArrayBuffer>, size: number): Uint32Array<ArrayBuffer> {
  const to = new Uint32Array(size);
  to.set(from);
  return to;
}
