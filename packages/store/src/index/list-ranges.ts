/** Reads the entries of a list from segments: all of them, or those near some documents. */

import {
  BlockCursor,
  compareBytes,
  type IndexSource,
  type KeyRange,
  type RangeRead,
  readRounds,
} from "./blocks.ts";
import type { DocFilter } from "./doc-set.ts";
import { afterPrefix, entryKey, firstNumber } from "./keys.ts";
import { findLastDoc, type ListEntry } from "./list.ts";

const SCAN_BLOCKS = 16;

/**
 * The entries of several lists that may have a document of `filter`; `list` is the index in `lists`. Entries of large lists
 * come in no particular order.
 */
export async function eachOfLists(
  { blocks, segments }: IndexSource,
  lists: readonly Uint8Array[],
  filter: DocFilter | undefined,
  visit: (entry: ListEntry, list: number) => void,
  isDone: (list: number) => boolean = () => false,
): Promise<void> {
  const reads: RangeRead[] = [];
  for (const [number, list] of lists.entries()) {
    const visitIfNear = (entry: ListEntry) => {
      if (!filter || filter.hasWithin(entry.firstDoc, findLastDoc(entry))) visit(entry, number);
    };
    for (const { id, first_doc, last_doc } of segments) {
      const ranges = filter?.listRanges(first_doc, last_doc) ?? [[first_doc, last_doc]];
      const seen = ranges.length > 1 ? new Set<string>() : undefined;
      for (const [first, last] of ranges) {
        const visitor = new ListVisitor(list, visitIfNear, seen);
        reads.push({
          range: { segment: id, from: entryKey(list, first), to: entryKey(list, last + 1) },
          take: (bodies) => {
            const lastKey = visitor.visit(bodies);
            return isDone(number) ? undefined : lastKey;
          },
        });
      }
    }
  }
  await readRounds(blocks, reads);
}

/**
 * The same for many lists of neighbouring terms, which share blocks: reads blocks in order, each once, and skips the
 * entries between lists.
 */
export async function scanLists(
  { blocks, segments }: IndexSource,
  lists: readonly Uint8Array[],
  filter: DocFilter | undefined,
  visit: (entry: ListEntry, list: number) => void,
): Promise<void> {
  if (lists.length === 0) return;
  const order = lists
    .map((_, at) => at)
    .sort((a, b) => compareKeys(lists[a] as Uint8Array, lists[b] as Uint8Array));
  const to = afterPrefix(lists[order.at(-1) as number] as Uint8Array);
  for (const { id, first_doc, last_doc } of segments) {
    if (filter && !filter.hasWithin(first_doc, last_doc)) continue;
    let next = 0;
    let from = lists[order[0] as number] as Uint8Array;
    while (next < order.length) {
      const [bodies = []] = await blocks.ranges([{ segment: id, from, to }], SCAN_BLOCKS);
      let last: Uint8Array | undefined;
      for (const body of bodies) {
        const cursor = new BlockCursor(body);
        while (cursor.next()) {
          const { key, keyLength } = cursor;
          if (compareBytes(key, keyLength, from, from.length) < 0) continue;
          last = key.slice(0, keyLength);
          while (next < order.length && isPast(last, lists[order[next] as number] as Uint8Array)) next += 1;
          const list = lists[order[next] as number];
          if (!list || !startsWith(last, last.length, list)) continue;
          const entry = entryAt(cursor, list.length);
          if (!filter || filter.hasWithin(entry.firstDoc, findLastDoc(entry)))
            visit(entry, order[next] as number);
        }
      }
      if (bodies.length < SCAN_BLOCKS || !last) break;
      const list = lists[order[next] as number];
      if (!list) break;
      from = compareKeys(list, last) > 0 ? list : Uint8Array.of(...last, 0);
    }
  }
}

function compareKeys(a: Uint8Array, b: Uint8Array): number {
  return compareBytes(a, a.length, b, b.length);
}

/** Whether `key` is after every key of a list. */
function isPast(key: Uint8Array, list: Uint8Array): boolean {
  return compareKeys(key, list) > 0 && !startsWith(key, key.length, list);
}

/** The entries of a list, segment by segment; `at` is the segment's index. */
export async function eachOfList(
  { blocks, segments }: IndexSource,
  list: Uint8Array,
  visit: (entry: ListEntry, at: number) => void,
): Promise<void> {
  await readRounds(
    blocks,
    segments.map(({ id }, at) => {
      const visitor = new ListVisitor(list, (entry) => visit(entry, at));
      return {
        range: { segment: id, from: list, to: afterPrefix(list) },
        take: (bodies) => visitor.visit(bodies),
      };
    }),
  );
}

/**
 * The entries of lists that may have one of `docs` (ascending), each once. Looks up documents that are at least `apart`
 * from their neighbours one by one, and reads the whole range between closer ones.
 */
export async function eachNear(
  { blocks, segments }: IndexSource,
  lists: readonly Uint8Array[],
  docs: Uint32Array,
  apart: number,
  visit: (entry: ListEntry, list: number) => void,
): Promise<void> {
  const reads: { readonly range: KeyRange; readonly visitor: ListVisitor }[] = [];
  for (const [number, list] of lists.entries()) {
    const visitIfNear = (entry: ListEntry) => {
      const at = lowerBound(docs, entry.firstDoc);
      if (at < docs.length && (docs[at] as number) <= findLastDoc(entry)) visit(entry, number);
    };
    for (const { id, first_doc, last_doc } of segments) {
      const inSegment = docs.subarray(lowerBound(docs, first_doc), lowerBound(docs, last_doc + 1));
      const visitor = new ListVisitor(list, visitIfNear);
      for (const [first, last] of groupNearDocs(inSegment, apart))
        reads.push({
          range: { segment: id, from: entryKey(list, first), to: entryKey(list, last + 1) },
          visitor,
        });
    }
  }
  const bodies = await blocks.ranges(reads.map(({ range }) => range));
  for (const [at, { visitor }] of reads.entries()) visitor.visit(bodies[at] as Uint8Array[]);
}

/** Ranges of documents that are close to each other, as first and last. */
function* groupNearDocs(docs: Uint32Array, apart: number): Generator<[first: number, last: number]> {
  for (let start = 0; start < docs.length; ) {
    let end = start;
    while (end + 1 < docs.length && (docs[end + 1] as number) - (docs[end] as number) < apart) end += 1;
    yield [docs[start] as number, docs[end] as number];
    start = end + 1;
  }
}

/** The index of the first number that is at least `value`. */
export function lowerBound(numbers: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first place from `at` on whose document is at least `doc`: gallops, since the next one is often near. */
export function skipTo(docs: Uint32Array, at: number, doc: number): number {
  if (at >= docs.length || (docs[at] as number) >= doc) return at;
  let [low, step] = [at, 1];
  while (low + step < docs.length && (docs[low + step] as number) < doc) {
    low += step;
    step *= 2;
  }
  let high = Math.min(docs.length, low + step);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((docs[middle] as number) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Visits the entries of one list once each, although the same block may be in several ranges. */
export class ListVisitor {
  readonly #list: Uint8Array;
  readonly #visit: (entry: ListEntry) => void;
  readonly #seen: Set<string> | undefined;
  /** The key of the last entry, in memory that is used again. */
  #last = new Uint8Array(64);
  #lastLength = 0;

  /** Ranges that are not visited in order share the keys that they have `seen`. */
  constructor(list: Uint8Array, visit: (entry: ListEntry) => void, seen?: Set<string>) {
    this.#list = list;
    this.#visit = visit;
    this.#seen = seen;
  }

  /** Visits the entries of blocks, and returns the key of the last; undefined when none was new. */
  visit(bodies: readonly Uint8Array[]): Uint8Array | undefined {
    let isNew = false;
    for (const body of bodies) {
      const cursor = new BlockCursor(body);
      let isFirst = true;
      while (cursor.next()) {
        const { key, keyLength } = cursor;
        if (!startsWith(key, keyLength, this.#list)) continue;
        if (isFirst && compareBytes(key, keyLength, this.#last, this.#lastLength) <= 0) continue;
        isFirst = false;
        isNew = true;
        this.#keep(key, keyLength);
        if (this.#isSeen(key, keyLength)) continue;
        this.#visit(entryAt(cursor, this.#list.length));
      }
    }
    return isNew ? this.#last.slice(0, this.#lastLength) : undefined;
  }

  #keep(key: Uint8Array, keyLength: number): void {
    if (keyLength > this.#last.length) this.#last = new Uint8Array(2 * keyLength);
    for (let at = 0; at < keyLength; at += 1) this.#last[at] = key[at] as number;
    this.#lastLength = keyLength;
  }

  #isSeen(key: Uint8Array, keyLength: number): boolean {
    if (!this.#seen) return false;
    const name = String.fromCharCode(...key.subarray(this.#list.length, keyLength));
    if (this.#seen.has(name)) return true;
    this.#seen.add(name);
    return false;
  }
}

/** The cursor's current entry. */
function entryAt(cursor: BlockCursor, listEnd: number): ListEntry {
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
