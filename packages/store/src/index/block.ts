/**
 * Blocks: sorted entries of key and value. Keys are prefix-compressed: each stores only what differs from the one before.
 * Two blocks fit a database page of 8 KiB.
 */
import { ByteReader, ByteWriter, varintLength } from "./bytes.ts";

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
  key = new Uint8Array(128);
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
