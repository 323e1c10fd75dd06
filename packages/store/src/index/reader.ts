/**
 * Reads a part's lists out of its runs, bounded by the ranges asked for. Documents come in rising order; what a
 * document has in several runs is added up. Documents that are gone are left to the caller.
 */
import { BlockCursor } from "./block.ts";
import type { BlockReader, IndexRun, KeyRange } from "./block-reader.ts";
import { compareBytes } from "./bytes.ts";
import {
  afterPrefix,
  Column,
  columnListKey,
  encodeTerm,
  entryKey,
  listLength,
  Section,
  termListKey,
} from "./keys.ts";
import { eachNumber, eachPosition, eachPosting, type ListEntry, lastDocOf } from "./list.ts";
import { entryAt, ListVisitor } from "./list-visitor.ts";
import { PositionSeeker } from "./position-seeker.ts";
import { NumberBuilder, type Postings, PostingsBuilder } from "./postings.ts";

/** Positions in the documents that were asked for: those of document number i are from `starts[i]` to `starts[i + 1]`. */
export interface Positions {
  readonly starts: Uint32Array;
  readonly positions: Uint32Array;
}

/**
 * Documents this far apart are looked up one by one; of nearer ones, the stretch between them is read.
 * Numbers of documents stand more than a thousand to a block, positions far fewer.
 */
const SEEK_DOCS = { positions: 400, numbers: 4_000 };
const SCAN_BLOCKS = 16;

export class IndexReader {
  readonly #blocks: BlockReader;
  readonly #runs: readonly IndexRun[];

  constructor(runs: readonly IndexRun[], blocks: BlockReader) {
    this.#runs = runs;
    this.#blocks = blocks;
  }

  /** The documents that have `term` in `field`. */
  async postings(term: string, field: number): Promise<Postings> {
    const found = new PostingsBuilder();
    await this.#eachOfList(termListKey(encodeTerm(term), field, Section.postings), (entry) =>
      found.addEntry(entry),
    );
    return found.take();
  }

  /** The documents that have a term in `field` that begins with `prefix`. */
  async prefixPostings(prefix: string, field: number): Promise<Postings> {
    const counts = new Map<number, number>();
    await this.#eachOfPrefix(prefix, field, (_term, entry) =>
      eachPosting(entry, (doc, count) => counts.set(doc, (counts.get(doc) ?? 0) + count)),
    );
    const found = new PostingsBuilder();
    for (const doc of Uint32Array.from(counts.keys()).sort()) found.add(doc, counts.get(doc) as number);
    return found.take();
  }

  /** The terms in `field` that begin with `prefix`; with `doc` only those that it has, and no more than `limit`. */
  async expand(
    prefix: string,
    field: number,
    doc?: number,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<string[]> {
    const terms = new Set<string>();
    await this.#eachOfPrefix(
      prefix,
      field,
      (term, entry) => {
        if (doc === undefined || hasPosting(entry, doc)) terms.add(term);
      },
      () => terms.size < limit,
    );
    return [...terms].slice(0, limit);
  }

  /** The positions of `term` in `field` of one document, to be sought. */
  seekPositions(term: string, field: number, doc: number): PositionSeeker {
    const list = termListKey(encodeTerm(term), field, Section.positions);
    const runs = this.#runs.filter(({ first_doc, last_doc }) => first_doc <= doc && doc <= last_doc);
    return new PositionSeeker(this.#blocks, runs, list, doc);
  }

  /** The positions of `term` in `field` of `docs`, which rises. */
  async positions(term: string, field: number, docs: Uint32Array): Promise<Positions> {
    const starts = new Uint32Array(docs.length + 1);
    const positions = new NumberBuilder();
    let at = 0;
    await this.#eachNear(
      termListKey(encodeTerm(term), field, Section.positions),
      docs,
      SEEK_DOCS.positions,
      (entry) => {
        const wants = (doc: number) => {
          while (at < docs.length && (docs[at] as number) < doc) starts[++at] = positions.length;
          return docs[at] === doc;
        };
        eachPosition(entry, wants, (_doc, position) => positions.add(position));
      },
    );
    while (at < docs.length) starts[++at] = positions.length;
    return { starts, positions: positions.take() };
  }

  /** A number of each of `docs`, which rises; NaN where there is none. */
  async column(column: number, field: number, docs: Uint32Array): Promise<Float64Array> {
    const values = new Float64Array(docs.length).fill(Number.NaN);
    let at = 0;
    await this.#eachNear(columnListKey(column, field), docs, SEEK_DOCS.numbers, (entry) => {
      while (at < docs.length && (docs[at] as number) < entry.firstDoc) at += 1;
      if (at === docs.length || (docs[at] as number) > lastDocOf(entry)) return;
      eachNumber(entry, (doc, value) => {
        while (at < docs.length && (docs[at] as number) < doc) at += 1;
        if (docs[at] !== doc || value === null) return;
        const before = values[at] as number;
        values[at] = before >= 0 ? before + value : value;
      });
    });
    return values;
  }

  /** The times of `docs`, which rises; NaN where there is none. */
  async times(docs: Uint32Array): Promise<Float64Array> {
    const times = await this.column(Column.time, 0, docs);
    const before = await this.column(Column.timeBefore, 0, docs);
    return times.map((time, at) => (Number.isNaN(time) ? -(before[at] as number) : time));
  }

  /** The times of all documents that have one. */
  async eachTime(visit: (doc: number, time_ms: number) => void): Promise<void> {
    await this.#eachNumberOf(Column.time, (doc, time) => time !== null && visit(doc, time));
    await this.#eachNumberOf(Column.timeBefore, (doc, time) => time !== null && visit(doc, -time));
  }

  async #eachNumberOf(column: number, visit: (doc: number, value: number | null) => void): Promise<void> {
    await this.#eachOfList(columnListKey(column, 0), (entry) => eachNumber(entry, visit));
  }

  async #eachOfList(list: Uint8Array, visit: (entry: ListEntry) => void): Promise<void> {
    const to = afterPrefix(list);
    const bodies = await this.#blocks.ranges(this.#runs.map(({ run }) => ({ run, from: list, to })));
    for (const some of bodies) new ListVisitor(list, visit).visit(some);
  }

  /** The entries of a list that may have one of `docs`, each once. */
  async #eachNear(
    list: Uint8Array,
    docs: Uint32Array,
    apart: number,
    visit: (entry: ListEntry) => void,
  ): Promise<void> {
    const ranges: KeyRange[] = [];
    for (const { run, first_doc, last_doc } of this.#runs) {
      const inRun = docs.subarray(lowerBound(docs, first_doc), lowerBound(docs, last_doc + 1));
      for (const [first, last] of stretchesOf(inRun, apart))
        ranges.push({ run, from: entryKey(list, first), to: entryKey(list, last + 1) });
    }
    const bodies = await this.#blocks.ranges(ranges);
    let visitor = new ListVisitor(list, visit);
    for (const [at, some] of bodies.entries()) {
      if (at > 0 && ranges[at]?.run !== ranges[at - 1]?.run) visitor = new ListVisitor(list, visit);
      visitor.visit(some);
    }
  }

  /** The postings in `field` of every term that begins with `prefix`; lists of other fields are stepped over. */
  async #eachOfPrefix(
    prefix: string,
    field: number,
    visit: (term: string, entry: ListEntry) => void,
    wantsMore = () => true,
  ): Promise<void> {
    const start = encodeTerm(prefix);
    const to = afterPrefix(start);
    for (const { run } of this.#runs) {
      let from = start;
      for (;;) {
        const bodies = await this.#blocks.some({ run, from, to }, SCAN_BLOCKS);
        let last: Uint8Array | undefined;
        for (const body of bodies) {
          const cursor = new BlockCursor(body);
          while (cursor.next()) {
            const { key, keyLength } = cursor;
            if (
              compareBytes(key, keyLength, from, from.length) < 0 ||
              compareBytes(key, keyLength, to, to.length) >= 0
            )
              continue;
            const length = listLength(key, keyLength);
            last = key.slice(0, keyLength);
            if (key[length - 1] !== Section.postings || key[length - 2] !== field) continue;
            visit(decodeTerm(key, length - 3), entryAt(cursor, length));
          }
        }
        if (bodies.length < SCAN_BLOCKS || !last || !wantsMore()) break;
        from = nextUseful(last, field);
      }
    }
  }
}

/** After the last key that was read: past its list if that is of no use here. */
function nextUseful(lastKey: Uint8Array, field: number): Uint8Array {
  const length = listLength(lastKey, lastKey.length);
  const list = lastKey.slice(0, length);
  return list[length - 1] === Section.postings && list[length - 2] === field
    ? Uint8Array.of(...lastKey, 0)
    : afterPrefix(list);
}

const decoder = new TextDecoder();

function decodeTerm(key: Uint8Array, length: number): string {
  return decoder.decode(key.subarray(0, length));
}

function hasPosting(entry: ListEntry, wanted: number): boolean {
  if (wanted < entry.firstDoc || wanted > lastDocOf(entry)) return false;
  let found = false;
  eachPosting(entry, (doc) => {
    found ||= doc === wanted;
  });
  return found;
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
