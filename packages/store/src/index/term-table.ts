/** Numbers the terms of a segment. Looks up ASCII words in place, without allocating a string for each. */
const encoder = new TextEncoder();
const HEAD_BYTES = 6;
const LOWER = Uint8Array.from({ length: 0x80 }, (_, code) =>
  String.fromCharCode(code).toLowerCase().charCodeAt(0),
);

export class TermTable {
  size = 0;
  #bytes = new Uint8Array(1 << 15);
  #starts = new Int32Array(1 << 12);
  #hashes = new Int32Array(1 << 12);
  /** Open addressing: term number + 1, or 0. */
  #slots = new Int32Array(1 << 13);

  /** The number of the ASCII word `start` to `end` of `text`, in lower case. */
  numberOfWord(text: string, start: number, end: number): number {
    const length = end - start;
    this.#reserve(length);
    const bytes = this.#bytes;
    const from = this.#starts[this.size] as number;
    let hash = 0;
    for (let at = 0; at < length; at += 1) {
      const lower = LOWER[text.charCodeAt(start + at)] as number;
      bytes[from + at] = lower;
      hash = (Math.imul(hash, 31) + lower) | 0;
    }
    return this.#find(length, hash);
  }

  numberOfTerm(term: string): number {
    this.#reserve(term.length * 3);
    const from = this.#starts[this.size] as number;
    const { written } = encoder.encodeInto(term, this.#bytes.subarray(from));
    let hash = 0;
    for (let at = 0; at < written; at += 1)
      hash = (Math.imul(hash, 31) + (this.#bytes[from + at] as number)) | 0;
    return this.#find(written, hash);
  }

  /** The bytes of all terms; those of term n are from `startOf(n)` to `startOf(n + 1)`. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  startOf(number: number): number {
    return this.#starts[number] as number;
  }

  /** The terms' numbers in the order of their bytes: by their first six with a radix sort, then by the rest. */
  sorted(): Uint32Array {
    const order = this.#sortedByHead();
    for (let start = 0; start < order.length; ) {
      let end = start + 1;
      while (end < order.length && this.#sameHead(order[start] as number, order[end] as number)) end += 1;
      if (end - start > 1) order.subarray(start, end).sort((a, b) => this.#compare(a, b));
      start = end;
    }
    return order;
  }

  clear(): void {
    this.size = 0;
    this.#slots.fill(0);
  }

  /** Finds the term whose bytes were just appended, or keeps them as a new term. */
  #find(length: number, hash: number): number {
    const mask = this.#slots.length - 1;
    const bytes = this.#bytes;
    const from = this.#starts[this.size] as number;
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const number = (this.#slots[slot] as number) - 1;
      if (number < 0) {
        this.#slots[slot] = this.size + 1;
        return this.#keep(from + length, hash);
      }
      if (this.#hashes[number] !== hash) continue;
      const start = this.#starts[number] as number;
      if ((this.#starts[number + 1] as number) - start !== length) continue;
      let at = 0;
      while (at < length && bytes[start + at] === bytes[from + at]) at += 1;
      if (at === length) return number;
    }
  }

  #keep(end: number, hash: number): number {
    const number = this.size++;
    this.#hashes[number] = hash;
    if (this.size + 1 >= this.#starts.length) this.#growTerms();
    this.#starts[this.size] = end;
    if (this.size * 2 > this.#slots.length) this.#rehash();
    return number;
  }

  /** Sorts by two bytes at a time, the last first. */
  #sortedByHead(): Uint32Array {
    let order = new Uint32Array(this.size);
    for (let number = 0; number < this.size; number += 1) order[number] = number;
    let next = new Uint32Array(this.size);
    for (let place = HEAD_BYTES - 2; place >= 0; place -= 2) {
      const counts = new Int32Array(0x10001);
      for (let number = 0; number < this.size; number += 1) counts[this.#pair(number, place) + 1]! += 1;
      for (let pair = 0; pair < 0x10000; pair += 1) counts[pair + 1]! += counts[pair] as number;
      for (const number of order) next[counts[this.#pair(number, place)]!++] = number;
      [order, next] = [next, order];
    }
    return order;
  }

  #pair(number: number, place: number): number {
    const at = (this.#starts[number] as number) + place;
    const end = this.#starts[number + 1] as number;
    return at + 1 < end
      ? ((this.#bytes[at] as number) << 8) | (this.#bytes[at + 1] as number)
      : at < end
        ? (this.#bytes[at] as number) << 8
        : 0;
  }

  #sameHead(a: number, b: number): boolean {
    for (let place = 0; place < HEAD_BYTES; place += 2)
      if (this.#pair(a, place) !== this.#pair(b, place)) return false;
    return true;
  }

  /** Compares two terms with the same first six bytes. */
  #compare(a: number, b: number): number {
    const bytes = this.#bytes;
    const [endA, endB] = [this.#starts[a + 1] as number, this.#starts[b + 1] as number];
    let atA = (this.#starts[a] as number) + HEAD_BYTES;
    let atB = (this.#starts[b] as number) + HEAD_BYTES;
    for (; atA < endA && atB < endB; atA += 1, atB += 1) {
      const difference = (bytes[atA] as number) - (bytes[atB] as number);
      if (difference !== 0) return difference;
    }
    return endA - atA - (endB - atB);
  }

  #reserve(length: number): void {
    const needed = (this.#starts[this.size] as number) + length;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, needed));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }

  #growTerms(): void {
    const starts = new Int32Array(this.#starts.length * 2);
    starts.set(this.#starts);
    this.#starts = starts;
    const hashes = new Int32Array(this.#hashes.length * 2);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let number = 0; number < this.size; number += 1) {
      const hash = this.#hashes[number] as number;
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number + 1;
    }
  }
}
