/**
 * Lists: what an index entry's value holds. A list has items in order of their documents and is split into entries
 * of bounded size. Entries of the same list from neighbouring runs are joined without decoding their items.
 *
 *   entry = span item…        span: last document − first document (the first document is in the key)
 *   item  = (gap × 2 + flag) payload      gap: to the document before; the first item's is 0
 *
 *   postings   flag 0: once in the document; flag 1: payload is how often
 *   positions  flag 0: one position; flag 1: payload is how many, then the first, then gaps
 *   numbers    flag 0: payload is the number; flag 1: there is none
 *
 * A document whose text was spread over several runs has several items with gap 0: readers add them up.
 */
import { type BlockWriter, MAX_VALUE_BYTES } from "./block.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { entryKey } from "./keys.ts";

const MAX_POSITIONS_PER_ITEM = 256;

/** Writes one list after another, each in order of its documents. */
export class ListWriter {
  readonly #blocks: BlockWriter;
  readonly #items = new ByteWriter(MAX_VALUE_BYTES * 2);
  readonly #value = new ByteWriter(MAX_VALUE_BYTES * 2);
  #list = new Uint8Array(0);
  #firstDoc = 0;
  #firstPosition: number | undefined;
  #lastDoc = 0;

  constructor(blocks: BlockWriter) {
    this.#blocks = blocks;
  }

  /** Ends the list before and begins one whose keys start with `list`. */
  begin(list: Uint8Array): void {
    this.end();
    this.#list = list as Uint8Array<ArrayBuffer>;
  }

  posting(doc: number, frequency: number): void {
    this.#startItem(doc, frequency > 1 ? 1 : 0, undefined);
    if (frequency > 1) this.#items.varint(frequency);
  }

  /** Positions `from` to `to` of a list that rises. */
  positions(doc: number, positions: ArrayLike<number>, from: number, to: number): void {
    for (let start = from; start < to; start += MAX_POSITIONS_PER_ITEM) {
      const end = Math.min(to, start + MAX_POSITIONS_PER_ITEM);
      this.#startItem(doc, end - start > 1 ? 1 : 0, positions[start]);
      if (end - start > 1) this.#items.varint(end - start);
      let before = 0;
      for (let at = start; at < end; at += 1) {
        this.#items.varint((positions[at] as number) - before);
        before = positions[at] as number;
      }
    }
  }

  number(doc: number, value: number | null): void {
    this.#startItem(doc, value === null ? 1 : 0, undefined);
    if (value !== null) this.#items.varint(value);
  }

  /** Adds a whole entry of the same list from a later run. */
  entry(firstDoc: number, firstPosition: number | undefined, body: Uint8Array, start: number, end: number): void {
    const reader = new ByteReader(body, start, end);
    const span = reader.varint();
    const flag = reader.varint() & 1;
    if (this.#items.length + (end - reader.at) > MAX_VALUE_BYTES) this.end();
    this.#startItem(firstDoc, flag, firstPosition);
    this.#items.copy(body, reader.at, end);
    this.#lastDoc = firstDoc + span;
  }

  end(): void {
    if (this.#items.length === 0) return;
    this.#value.length = 0;
    this.#value.varint(this.#lastDoc - this.#firstDoc);
    this.#value.copy(this.#items.bytes, 0, this.#items.length);
    const key =
      this.#firstPosition === undefined
        ? entryKey(this.#list, this.#firstDoc)
        : entryKey(this.#list, this.#firstDoc, this.#firstPosition);
    this.#blocks.add(key, this.#value.bytes, this.#value.length);
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

/** An entry of a list, where it stands in its block. */
export interface ListEntry {
  readonly firstDoc: number;
  readonly body: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** The last document of an entry. */
export function lastDocOf(entry: ListEntry): number {
  return entry.firstDoc + new ByteReader(entry.body, entry.start, entry.end).varint();
}

/** Calls `visit` for each posting of an entry. */
export function eachPosting(entry: ListEntry, visit: (doc: number, frequency: number) => void): void {
  const reader = new ByteReader(entry.body, entry.start, entry.end);
  reader.varint();
  let doc = entry.firstDoc;
  while (reader.at < reader.end) {
    const head = reader.varint();
    doc += head >= 0x80000000 ? Math.floor(head / 2) : head >>> 1;
    visit(doc, head & 1 ? reader.varint() : 1);
  }
}

/** Calls `visit` for each position of an entry; `wants` may skip a document's positions. */
export function eachPosition(
  entry: ListEntry,
  wants: (doc: number) => boolean,
  visit: (doc: number, position: number) => void,
): void {
  const reader = new ByteReader(entry.body, entry.start, entry.end);
  reader.varint();
  let doc = entry.firstDoc;
  while (reader.at < reader.end) {
    const head = reader.varint();
    doc += head >= 0x80000000 ? Math.floor(head / 2) : head >>> 1;
    const count = head & 1 ? reader.varint() : 1;
    const wanted = wants(doc);
    let position = 0;
    for (let number = 0; number < count; number += 1) {
      position += reader.varint();
      if (wanted) visit(doc, position);
    }
  }
}

/** Calls `visit` for each number of an entry. */
export function eachNumber(entry: ListEntry, visit: (doc: number, value: number | null) => void): void {
  const reader = new ByteReader(entry.body, entry.start, entry.end);
  reader.varint();
  let doc = entry.firstDoc;
  while (reader.at < reader.end) {
    const head = reader.varint();
    doc += head >= 0x80000000 ? Math.floor(head / 2) : head >>> 1;
    visit(doc, head & 1 ? null : reader.varint());
  }
}
