/** Finds words of ASCII letters and digits in a text without copying them: a hash table over the list of words. */

const NEWLINE = 10;

export class WordTable {
  readonly #words: Uint8Array;
  readonly #starts: Uint32Array;
  readonly #slots: Int32Array;
  readonly #mask: number;

  /** `words` are in lower case, each ended by a newline; a word's row is its place in the list. */
  constructor(words: Uint8Array, count: number) {
    this.#words = words;
    this.#starts = new Uint32Array(count + 1);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(count * 2))).fill(-1);
    this.#mask = this.#slots.length - 1;
    for (let row = 0, start = 0; row < count; row += 1) {
      let hash = 0;
      let end = start;
      for (; words[end] !== NEWLINE; end += 1) hash = mix(hash, words[end] as number);
      let slot = hash & this.#mask;
      while (this.#slots[slot] !== -1) slot = (slot + 1) & this.#mask;
      this.#slots[slot] = row;
      start = end + 1;
      this.#starts[row + 1] = start;
    }
  }

  /** The row of the word at `start` to `end` of a text, in either case; -1 when it is not listed. */
  find(text: string, start: number, end: number): number {
    let hash = 0;
    for (let at = start; at < end; at += 1) hash = mix(hash, lowerCase(text.charCodeAt(at)));
    let slot = hash & this.#mask;
    for (let row = this.#slots[slot] as number; row !== -1; row = this.#slots[slot] as number) {
      if (this.#isAt(row, text, start, end)) return row;
      slot = (slot + 1) & this.#mask;
    }
    return -1;
  }

  #isAt(row: number, text: string, start: number, end: number): boolean {
    const from = this.#starts[row] as number;
    if ((this.#starts[row + 1] as number) - 1 - from !== end - start) return false;
    for (let at = start; at < end; at += 1)
      if (this.#words[from + at - start] !== lowerCase(text.charCodeAt(at))) return false;
    return true;
  }
}

function lowerCase(code: number): number {
  return code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
}

function mix(hash: number, code: number): number {
  const mixed = Math.imul(hash ^ code, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
