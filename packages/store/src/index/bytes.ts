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
export function varintLength(value: number): number {
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
