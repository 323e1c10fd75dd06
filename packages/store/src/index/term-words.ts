/** Consumes the words of a text, in order, as the index reads its tokens. */
export interface WordSink {
  /** The number that the term at `start` to `end` of a text has in a list of words, in either case; -1 when it is not listed. */
  find(text: string, start: number, end: number): number;
  /** Called for each token with its term's number in the list and the UTF-16 unit where it begins. */
  add(word: number, startUnit: number): void;
}

/** The number that each term of a segment has in a list of words: looked up once, however often the term occurs. */
export class TermWords {
  /** By term: its number in the list + 2, or 0 before it was looked up. */
  #words = new Int32Array(0);

  find(sink: WordSink, term: number, text: string, start: number, end: number): number {
    if (term >= this.#words.length) this.#grow(term);
    const known = this.#words[term] as number;
    if (known !== 0) return known - 2;
    const word = sink.find(text, start, end);
    this.#words[term] = word + 2;
    return word;
  }

  clear(): void {
    this.#words.fill(0);
  }

  #grow(term: number): void {
    const words = new Int32Array(Math.max(1 << 10, 2 ** Math.ceil(Math.log2(term + 1))));
    words.set(this.#words);
    this.#words = words;
  }
}
