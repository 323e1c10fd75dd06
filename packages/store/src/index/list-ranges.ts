/** Reads the entries of a list out of segments: all of them, or those near to some documents. */
import type { BlockReader, IndexSegment, KeyRange } from "./block-reader.ts";
import { afterPrefix, entryKey } from "./keys.ts";
import type { ListEntry } from "./list.ts";
import { ListVisitor } from "./list-visitor.ts";

/** The entries of a list, segment by segment; `at` is the segment's place. */
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
 * The entries of a list that may have one of `docs`, which rises, each once. Documents that are `apart` or more are looked
 * up one by one; of nearer ones, the stretch between them is read.
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
    for (const [first, last] of stretchesOf(inSegment, apart))
      ranges.push({ segment: id, from: entryKey(list, first), to: entryKey(list, last + 1) });
  }
  const bodies = await blocks.ranges(ranges);
  let visitor = new ListVisitor(list, visit);
  for (const [at, some] of bodies.entries()) {
    if (at > 0 && ranges[at]?.segment !== ranges[at - 1]?.segment) visitor = new ListVisitor(list, visit);
    visitor.visit(some);
  }
}

/** Stretches of documents that are near to each other, as first and last. */
function* stretchesOf(docs: Uint32Array, apart: number): Generator<[first: number, last: number]> {
  for (let start = 0; start < docs.length; ) {
    let end = start;
    while (end + 1 < docs.length && (docs[end + 1] as number) - (docs[end] as number) < apart) end += 1;
    yield [docs[start] as number, docs[end] as number];
    start = end + 1;
  }
}

/** The place of the first number that is not below `value`. */
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
