/** A sliding window over the bytes of a file: appends at its end, drops at its start. */
export class ByteWindow {
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #start = 0;
  #end = 0;

  /** The bytes in the window: a view, valid until the next `append`. */
  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  append(chunk: Uint8Array): void {
    if (this.#end + chunk.length > this.#buffer.length) this.#makeRoom(chunk.length);
    this.#buffer.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  drop(count: number): void {
    this.#start = Math.min(this.#start + count, this.#end);
  }

  /** Doubles when it grows, so that a long message is not copied once per chunk. */
  #makeRoom(more: number): void {
    const held = this.bytes;
    const needed = held.length + more;
    const target = needed * 2 > this.#buffer.length ? Buffer.allocUnsafe(needed * 2) : this.#buffer;
    target.set(held, 0);
    this.#buffer = target;
    this.#start = 0;
    this.#end = held.length;
  }
}
