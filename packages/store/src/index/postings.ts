import { ByteReader } from "./bytes.ts";
import type { ListEntry } from "./list.ts";

/** Documents with how often they have something, rising. */
export interface Postings {
  readonly docs: Uint32Array;
  readonly counts: Uint32Array;
}

/** Collects postings; what a document has twice in a row is added up. */
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

/** What two rising lists have in common. */
export function intersect(a: Uint32Array, b: Uint32Array): Uint32Array {
  const common = new Uint32Array(Math.min(a.length, b.length));
  let length = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const x = a[i] as number;
    const y = b[j] as number;
    if (x === y) common[length++] = x;
    if (x <= y) i += 1;
    if (y <= x) j += 1;
  }
  return common.subarray(0, length);
}

/** All numbers of rising lists, rising, each once. */
export function unite(lists: readonly Uint32Array[]): Uint32Array {
  return lists.reduce((a, b) => (a.length === 0 ? b : uniteTwo(a, b)), new Uint32Array(0));
}

/** The postings of the documents that `allows` lets through; undefined lets all through. */
export function keep(postings: Postings, allows: ((doc: number) => boolean) | undefined): Postings {
  if (!allows) return postings;
  const { docs, counts } = postings;
  const kept = new Uint32Array(docs.length);
  const keptCounts = new Uint32Array(docs.length);
  let length = 0;
  for (let at = 0; at < docs.length; at += 1) {
    if (!allows(docs[at] as number)) continue;
    kept[length] = docs[at] as number;
    keptCounts[length++] = counts[at] as number;
  }
  return { docs: kept.subarray(0, length), counts: keptCounts.subarray(0, length) };
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
