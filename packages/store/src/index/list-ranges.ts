/** Reads the entries of a list from segments: all of them, or those near some documents. */

import { BlockCursor } from "./block.ts";
import type { BlockReader, IndexSegment, KeyRange } from "./block-reader.ts";
import { compareBytes } from "./bytes.ts";
import { afterPrefix, entryKey } from "./keys.ts";
import type { ListEntry } from "./list.ts";
import { entryAt, ListVisitor } from "./list-visitor.ts";

/** From this many lists on, blocks are read in order, each once: neighbouring lists are often in one block. */
const MANY_LISTS = 64;
const SCAN_BLOCKS = 16;

/** The entries of several lists; `list` is the index in `lists`. A few lists are read in one round trip. */
export async function eachOfLists(
  blocks: BlockReader,
  segments: readonly IndexSegment[],
  lists: readonly Uint8Array[],
  visit: (entry: ListEntry, list: number) => void,
): Promise<void> {
  if (lists.length === 0 || segments.length === 0) return;
  if (lists.length >= MANY_LISTS) return scanLists(blocks, segments, lists, visit);
  const ranges = lists.flatMap((list) => {
    const to = afterPrefix(list);
    return segments.map(({ id }) => ({ segment: id, from: list, to }));
  });
  const bodies = await blocks.ranges(ranges);
  for (const [at, some] of bodies.entries()) {
    const number = Math.floor(at / segments.length);
    new ListVisitor(lists[number] as Uint8Array, (entry) => visit(entry, number)).visit(some);
  }
}

/** The same for many lists: continues from the first incomplete list, and skips entries between lists. */
async function scanLists(
  blocks: BlockReader,
  segments: readonly IndexSegment[],
  lists: readonly Uint8Array[],
  visit: (entry: ListEntry, list: number) => void,
): Promise<void> {
  const order = lists
    .map((_, at) => at)
    .sort((a, b) => compareKeys(lists[a] as Uint8Array, lists[b] as Uint8Array));
  const to = afterPrefix(lists[order.at(-1) as number] as Uint8Array);
  for (const { id } of segments) {
    let next = 0;
    let from = lists[order[0] as number] as Uint8Array;
    while (next < order.length) {
      const bodies = await blocks.some({ segment: id, from, to }, SCAN_BLOCKS);
      let last: Uint8Array | undefined;
      for (const body of bodies) {
        const cursor = new BlockCursor(body);
        while (cursor.next()) {
          const { key, keyLength } = cursor;
          if (compareBytes(key, keyLength, from, from.length) < 0) continue;
          last = key.slice(0, keyLength);
          while (next < order.length && isPast(last, lists[order[next] as number] as Uint8Array)) next += 1;
          const list = lists[order[next] as number];
          if (list && startsWith(last, list)) visit(entryAt(cursor, list.length), order[next] as number);
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

function startsWith(key: Uint8Array, prefix: Uint8Array): boolean {
  return key.length >= prefix.length && compareBytes(key, prefix.length, prefix, prefix.length) === 0;
}

/** Whether `key` is after every key of a list. */
function isPast(key: Uint8Array, list: Uint8Array): boolean {
  return compareKeys(key, list) > 0 && !startsWith(key, list);
}

/** The entries of a list, segment by segment; `at` is the segment's index. */
export async function eachOfList(
  blocks: BlockReader,
  segments: readonly IndexSegment[],
  list: Uint8Array,
  visit: (entry: ListEntry, at: number) => void,
): Promise<void> {
  const to = afterPrefix(list);
  const bodies = await blocks.ranges(segments.map(({ id }) => ({ segment: id, from: list, to })));
  for (const [at, some] of bodies.entries()) new ListVisitor(list, (entry) => visit(entry, at)).visit(some);
}

/**
 * The entries of a list that may have one of `docs` (ascending), each once. Looks up documents that are at least `apart`
 * from their neighbours one by one, and reads the whole range between closer ones.
 */
export async function eachNear(
  blocks: BlockReader,
  segments: readonly IndexSegment[],
  list: Uint8Array,
  docs: Uint32Array,
  apart: number,
  visit: (entry: ListEntry) => void,
): Promise<void> {
  const ranges: KeyRange[] = [];
  for (const { id, first_doc, last_doc } of segments) {
    const inSegment = docs.subarray(lowerBound(docs, first_doc), lowerBound(docs, last_doc + 1));
    for (const [first, last] of groupNearDocs(inSegment, apart))
      ranges.push({ segment: id, from: entryKey(list, first), to: entryKey(list, last + 1) });
  }
  const bodies = await blocks.ranges(ranges);
  let visitor = new ListVisitor(list, visit);
  for (const [at, some] of bodies.entries()) {
    if (at > 0 && ranges[at]?.segment !== ranges[at - 1]?.segment) visitor = new ListVisitor(list, visit);
    visitor.visit(some);
  }
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
