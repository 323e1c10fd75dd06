/**
 * Lists: the values of index entries. A list has items in document order and is split into entries of bounded size.
 * A merge joins the entries of one list from neighbouring segments without decoding their items.
 *
 *   entry = span item…        span: last document − first document (the first document is in the key)
 *   item  = (gap × 2 + flag) payload      gap: to the document before; the first item's is 0
 *
 *   postings   flag 0: once in the document; flag 1: payload is how often
 *   positions  flag 0: one position; flag 1: payload is how many, then the first, then gaps
 *   numbers    flag 0: payload is the number; flag 1: there is none
 *
 * A document whose text spans several segments has several items with gap 0: readers add them up.
 */
import { type BlockWriter, ByteReader, ByteWriter, compareBytes, MAX_VALUE_BYTES } from "./blocks.ts";
import { type ArrayRoom, type DocSet, PAGE_DOCS, PAGE_SHIFT } from "./doc-set.ts";
import { writeSortable } from "./keys.ts";
import type { DocCounts } from "./match.ts";

const MAX_POSITIONS_PER_ITEM = 256;

/** Writes one list after another, each in document order. */
export class ListWriter {
  readonly #blocks: BlockWriter;
  readonly #items = new ByteWriter(MAX_VALUE_BYTES * 2);
  readonly #key = new ByteWriter(256);
  #listLength = 0;
  #firstDoc = 0;
  #firstPosition: number | undefined;
  #lastDoc = 0;
  #positionDoc = 0;
  #positionsLeft = 0;
  #itemLeft = 0;
  #positionBefore = 0;
  readonly #reader = new ByteReader(new Uint8Array(0));

  constructor(blocks: BlockWriter) {
    this.#blocks = blocks;
  }

  /** Whether the keys of the current list start with the first `length` bytes of `key`. */
  isAt(key: Uint8Array, length: number): boolean {
    return compareBytes(this.#key.bytes, this.#listLength, key, length) === 0;
  }

  /** Ends the current list and begins one whose keys start with the first `length` bytes of `list`. */
  begin(list: Uint8Array, length = list.length): void {
    this.end();
    this.#key.length = 0;
    this.#key.copy(list, 0, length);
    this.#listLength = length;
  }

  /** Ends the current list and begins those of a term (bytes `start` to `end` of `bytes`) in a field. */
  beginTerm(bytes: Uint8Array, start: number, end: number, field: number): void {
    this.end();
    this.#key.length = 0;
    this.#key.copy(bytes, start, end);
    this.#key.byte(0);
    this.#key.byte(field);
    this.#key.byte(0);
    this.#listLength = this.#key.length;
  }

  /** Begins another section of the same term and field. */
  beginSection(section: number): void {
    this.end();
    this.#key.bytes[this.#listLength - 1] = section;
  }

  /** Adds a term to the dictionary: the first `length` bytes of `key`, and where the segment has it. */
  term(key: Uint8Array, length = key.length, where?: TermExtent): void {
    this.begin(key, length);
    if (where) {
      this.#items.varint(where.firstDoc);
      for (const field of where.fields) this.#items.byte(field);
    }
    this.#blocks.add(this.#key, where ? where.lastDoc - where.firstDoc : 0, this.#items);
    this.#items.length = 0;
  }

  posting(doc: number, frequency: number): void {
    this.#startItem(doc, frequency > 1 ? 1 : 0, undefined);
    if (frequency > 1) this.#items.varint(frequency);
  }

  /** Begins `count` positions of a document, in ascending order. */
  beginPositions(doc: number, count: number): void {
    this.#positionDoc = doc;
    this.#positionsLeft = count;
    this.#itemLeft = 0;
  }

  position(position: number): void {
    if (this.#itemLeft === 0) {
      this.#itemLeft = Math.min(this.#positionsLeft, MAX_POSITIONS_PER_ITEM);
      this.#positionsLeft -= this.#itemLeft;
      this.#startItem(this.#positionDoc, this.#itemLeft > 1 ? 1 : 0, position);
      if (this.#itemLeft > 1) this.#items.varint(this.#itemLeft);
      this.#positionBefore = 0;
    }
    this.#items.varint(position - this.#positionBefore);
    this.#positionBefore = position;
    this.#itemLeft -= 1;
  }

  number(doc: number, value: number | null): void {
    this.#startItem(doc, value === null ? 1 : 0, undefined);
    if (value !== null) this.#items.varint(value);
  }

  /** Adds a whole entry of the same list from a later segment. */
  entry(
    firstDoc: number,
    firstPosition: number | undefined,
    body: Uint8Array,
    start: number,
    end: number,
  ): void {
    const reader = this.#reader;
    reader.bytes = body;
    reader.at = start;
    const span = reader.varint();
    const flag = reader.varint() & 1;
    if (this.#items.length + (end - reader.at) > MAX_VALUE_BYTES) this.end();
    this.#startItem(firstDoc, flag, firstPosition);
    this.#items.copy(body, reader.at, end);
    this.#lastDoc = firstDoc + span;
  }

  end(): void {
    if (this.#items.length === 0) return;
    this.#key.length = this.#listLength;
    writeSortable(this.#key, this.#firstDoc);
    if (this.#firstPosition !== undefined) writeSortable(this.#key, this.#firstPosition);
    this.#blocks.add(this.#key, this.#lastDoc - this.#firstDoc, this.#items);
    this.#items.length = 0;
  }

  #startItem(doc: number, flag: number, firstPosition: number | undefined): void {
    if (this.#items.length > MAX_VALUE_BYTES - 16) this.end();
    if (this.#items.length === 0) {
      this.#firstDoc = doc;
      this.#firstPosition = firstPosition;
      this.#lastDoc = doc;
    }
    this.#items.varint((doc - this.#lastDoc) * 2 + flag);
    this.#lastDoc = doc;
  }
}

/** Where a segment has a term: between which documents, and in which fields (ascending). */
export interface TermExtent {
  readonly firstDoc: number;
  readonly lastDoc: number;
  readonly fields: Uint8Array;
}

/** The value of a dictionary entry; undefined for one that has none. */
export function readExtent(body: Uint8Array, start: number, end: number): TermExtent | undefined {
  const reader = new ByteReader(body, start, end);
  const span = reader.varint();
  if (reader.at >= end) return undefined;
  const firstDoc = reader.varint();
  return { firstDoc, lastDoc: firstDoc + span, fields: body.subarray(reader.at, end) };
}

/** An entry of a list, at its offset in the block. */
export interface ListEntry {
  readonly firstDoc: number;
  readonly body: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** Pairs, one for every `SKIPPED` postings: where the next posting begins, and the document before it. 0 and 0 after the last. */
  readonly skips?: Uint32Array | undefined;
}

/** A cursor skips this many postings at a time. */
const SKIPPED = 16;

/** Room for the skips of an entry, which `addDocs` fills in; undefined for an entry too short to gain from them. */
export function createSkips(size: number, room: ArrayRoom<Uint32Array>): Uint32Array | undefined {
  return size < 2 * SKIPPED ? undefined : room.take(2 * Math.ceil(size / SKIPPED));
}

/** The last document of an entry. */
export function findLastDoc({ firstDoc, body, start, end }: ListEntry): number {
  const head = body[start] as number;
  return firstDoc + (head < 0x80 ? head : new ByteReader(body, start, end).varint());
}

/** Calls `visit` for each posting of an entry. */
export function eachPosting(entry: ListEntry, visit: (doc: number, frequency: number) => void): void {
  const reader = new ByteReader(entry.body, entry.start, entry.end);
  reader.varint();
  let doc = entry.firstDoc;
  while (reader.at < reader.end) {
    const head = reader.varint();
    doc += gapOf(head);
    visit(doc, head & 1 ? reader.varint() : 1);
  }
}

/** Receives the documents of a list with their frequencies, each occurrence weighing `weight` (an integer). */
export interface PostingSink {
  readonly docs: DocSet;
  readonly counts?: DocCounts | undefined;
  readonly weight?: number;
}

/** Adds the documents of an entry to a sink; returns how many postings it decoded. */
export function addDocs(entry: ListEntry, { docs, counts, weight = 1 }: PostingSink): number {
  const { body, start, end, skips } = entry;
  const reader = new ByteReader(body, start, end);
  reader.varint();
  let doc = entry.firstDoc;
  let decoded = 0;
  let page = -1;
  let bits: Uint32Array = NO_BITS;
  let bytes: Uint8ClampedArray | undefined;
  let nextSkip = skips ? SKIPPED - 1 : -1;
  // This loop is most of the work of a search for a common word. Nearly every posting takes one or two bytes; which of the
  // two is unpredictable, so the loop does not branch on it.
  for (let at = reader.at; at < end; decoded += 1) {
    if (skips && decoded === nextSkip) {
      const place = 2 * Math.floor(decoded / SKIPPED);
      skips[place] = at;
      skips[place + 1] = doc;
      nextSkip += SKIPPED;
    }
    const head = body[at] as number;
    const flag = head & 1;
    let frequency = at + 1 < end ? (body[at + 1] as number) & -flag : 0;
    if ((head | frequency) < 0x80) {
      at += 1 + flag;
      doc += head >>> 1;
      frequency += 1 - flag;
    } else {
      reader.at = at;
      doc += gapOf(reader.varint());
      frequency = flag ? reader.varint() : 1;
      at = reader.at;
    }
    if (doc >>> PAGE_SHIFT !== page) {
      page = doc >>> PAGE_SHIFT;
      bits = docs.openPage(page);
      bytes = counts?.openPage(page);
    }
    const place = doc & (PAGE_DOCS - 1);
    bits[place >>> 5]! |= 1 << (place & 31);
    if (bytes) bytes[place]! += frequency * weight;
  }
  return decoded;
}

const NO_BITS = new Uint32Array(0);

/** Calls `visit` for each position of an entry; `wants` may skip a document's positions. Returns how many it decoded. */
export function eachPosition(
  entry: ListEntry,
  wants: (doc: number) => boolean,
  visit: (doc: number, position: number) => void,
): number {
  const reader = new ByteReader(entry.body, entry.start, entry.end);
  reader.varint();
  let doc = entry.firstDoc;
  let decoded = 0;
  while (reader.at < reader.end) {
    const head = reader.varint();
    doc += gapOf(head);
    const count = head & 1 ? reader.varint() : 1;
    const wanted = wants(doc);
    decoded += count;
    let position = 0;
    for (let number = 0; number < count; number += 1) {
      position += reader.varint();
      if (wanted) visit(doc, position);
    }
  }
  return decoded;
}

/** Calls `visit` for each number of an entry. */
export function eachNumber(entry: ListEntry, visit: (doc: number, value: number | null) => void): void {
  const reader = new ByteReader(entry.body, entry.start, entry.end);
  reader.varint();
  let doc = entry.firstDoc;
  while (reader.at < reader.end) {
    const head = reader.varint();
    doc += gapOf(head);
    visit(doc, head & 1 ? null : reader.varint());
  }
}

function gapOf(head: number): number {
  return head >= 0x80000000 ? Math.floor(head / 2) : head >>> 1;
}
