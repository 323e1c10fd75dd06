/**
 * Blocks: sorted entries of key and value, and how they are written and read. Keys are prefix-compressed: each stores only
 * what differs from the one before. Two blocks fit a database page of 8 KiB.
 */
import type { WorkBudget } from "../work-budget.ts";

/** Writes varints and bytes into a growing buffer. */
export class ByteWriter {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity = 256) {
    this.bytes = new Uint8Array(capacity);
  }

  byte(value: number): void {
    if (this.length === this.bytes.length) this.#grow(1);
    this.bytes[this.length++] = value;
  }

  /** An unsigned integer, seven bits a byte, low bits first; up to 2^53. */
  varint(value: number): void {
    let rest = value;
    while (rest > 0x7fffffff) {
      this.byte((rest % 128) | 0x80);
      rest = Math.floor(rest / 128);
    }
    while (rest > 0x7f) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  copy(source: Uint8Array, start = 0, end = source.length): void {
    const size = end - start;
    if (this.length + size > this.bytes.length) this.#grow(size);
    if (size < 32) for (let at = start; at < end; at += 1) this.bytes[this.length++] = source[at] as number;
    else {
      this.bytes.set(source.subarray(start, end), this.length);
      this.length += size;
    }
  }

  /** Returns a copy of the bytes written so far, and resets the writer. */
  take(): Uint8Array {
    const taken = this.bytes.slice(0, this.length);
    this.length = 0;
    return taken;
  }

  #grow(needed: number): void {
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + needed));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}

/** Reads what a `ByteWriter` wrote. */
export class ByteReader {
  bytes: Uint8Array;
  at: number;
  end: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  varint(): number {
    const { bytes } = this;
    let byte = bytes[this.at++] as number;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let scale = 128;
    do {
      byte = bytes[this.at++] as number;
      value += (byte & 0x7f) * scale;
      scale *= 128;
    } while (byte >= 0x80);
    return value;
  }
}

/** How many bytes `varint` writes for a value. */
function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) length += 1;
  return length;
}

/** Compares as `memcmp` does, which is how both engines sort bytes. */
export function compareBytes(a: Uint8Array, aLength: number, b: Uint8Array, bLength: number): number {
  const shared = Math.min(aLength, bLength);
  for (let at = 0; at < shared; at += 1) {
    const difference = (a[at] as number) - (b[at] as number);
    if (difference !== 0) return difference;
  }
  return aLength - bLength;
}

const BLOCK_BYTES = 3_900;

/** The longest value of an entry, so that blocks stay near their size. */
export const MAX_VALUE_BYTES = 1_024;

export interface Block {
  readonly first_key: Uint8Array;
  readonly body: Uint8Array;
}

/** Packs entries that come in order of their keys into blocks. */
export class BlockWriter {
  readonly #emit: (block: Block) => void;
  readonly #body = new ByteWriter(BLOCK_BYTES + 512);
  readonly #lastKey = new ByteWriter(128);
  #firstKey: Uint8Array | undefined;

  constructor(emit: (block: Block) => void) {
    this.#emit = emit;
  }

  /** Adds an entry whose value is a number and items; the caller may reuse both writers afterwards. */
  add(key: ByteWriter, head: number, items: ByteWriter): void {
    if (this.#firstKey && this.#body.length + key.length + items.length + 12 > BLOCK_BYTES) this.flush();
    const shared = this.#firstKey ? sharedLength(this.#lastKey, key) : 0;
    this.#firstKey ??= key.bytes.slice(0, key.length);
    this.#body.varint(shared);
    this.#body.varint(key.length - shared);
    this.#body.copy(key.bytes, shared, key.length);
    this.#body.varint(varintLength(head) + items.length);
    this.#body.varint(head);
    this.#body.copy(items.bytes, 0, items.length);
    this.#lastKey.length = shared;
    this.#lastKey.copy(key.bytes, shared, key.length);
  }

  flush(): void {
    if (!this.#firstKey) return;
    this.#emit({ first_key: this.#firstKey, body: this.#body.take() });
    this.#firstKey = undefined;
    this.#lastKey.length = 0;
  }
}

/** Steps through the entries of a block without copying them. */
export class BlockCursor {
  /** Up to 64 bytes V8 keeps an array on its own heap, where it costs little. */
  key = new Uint8Array(64);
  keyLength = 0;
  readonly body: Uint8Array;
  valueStart = 0;
  valueEnd = 0;
  readonly #reader: ByteReader;

  constructor(body: Uint8Array) {
    this.body = body;
    this.#reader = new ByteReader(body);
  }

  next(): boolean {
    const reader = this.#reader;
    if (reader.at >= reader.end) return false;
    const shared = reader.varint();
    const suffix = reader.varint();
    this.#reserve(shared + suffix);
    for (let at = 0; at < suffix; at += 1) this.key[shared + at] = this.body[reader.at + at] as number;
    this.keyLength = shared + suffix;
    reader.at += suffix;
    const size = reader.varint();
    this.valueStart = reader.at;
    this.valueEnd = reader.at + size;
    reader.at = this.valueEnd;
    return true;
  }

  #reserve(size: number): void {
    if (size <= this.key.length) return;
    const grown = new Uint8Array(size * 2);
    grown.set(this.key.subarray(0, this.keyLength));
    this.key = grown;
  }
}

function sharedLength(a: ByteWriter, b: ByteWriter): number {
  const limit = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < limit && a.bytes[shared] === b.bytes[shared]) shared += 1;
  return shared;
}

export interface IndexSegment {
  readonly id: number;
  readonly first_doc: number;
  readonly last_doc: number;
}

export interface KeyRange {
  readonly segment: number;
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

/** What the index needs from an engine. */
export interface BlockReader {
  /** The remaining work budget of reads; undefined without a limit. */
  readonly budget?: WorkBudget | undefined;
  /** For each range, the first `limit` blocks that may contain its keys, in order. */
  ranges(ranges: readonly KeyRange[], limit?: number): Promise<Uint8Array[][]>;
}

/** The segments of an index, and how their blocks are read. */
export interface IndexSource {
  readonly blocks: BlockReader;
  readonly segments: readonly IndexSegment[];
}

/** How many ranges to read in one round trip, and how many blocks of each: the most that a read holds in memory. */
const ROUND_RANGES = 64;
const ROUND_BLOCKS = 32;

/** A range to read, and the consumer of its blocks. */
export interface RangeRead {
  readonly range: KeyRange;
  /** Takes the next blocks of the range; returns the last key that it wanted in them, or undefined to end the range. */
  take(bodies: readonly Uint8Array[]): Uint8Array | undefined;
}

/** Reads ranges of any size in rounds of bounded size. */
export async function readRounds(blocks: BlockReader, reads: readonly RangeRead[]): Promise<void> {
  let pending = [...reads];
  while (pending.length > 0) {
    const round = pending.slice(0, ROUND_RANGES);
    pending = pending.slice(ROUND_RANGES);
    const bodies = await blocks.ranges(
      round.map(({ range }) => range),
      ROUND_BLOCKS,
    );
    const unfinished: RangeRead[] = [];
    for (const [at, read] of round.entries()) {
      const own = bodies[at] as Uint8Array[];
      const last = read.take(own);
      if (!last || own.length < ROUND_BLOCKS) continue;
      const range = { ...read.range, from: Uint8Array.of(...last, 0) };
      if (compareBytes(range.from, range.from.length, range.to, range.to.length) < 0)
        unfinished.push({ ...read, range });
    }
    pending.unshift(...unfinished);
  }
}
