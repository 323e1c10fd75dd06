/** Documents, ascending, with frequencies. */
export interface Postings {
  readonly docs: Uint32Array;
  readonly counts: Uint32Array;
}

/** Collects postings of ascending documents. */
export class PostingsBuilder {
  readonly #docs = new NumberBuilder();
  readonly #counts = new NumberBuilder();

  add(doc: number, count: number): void {
    this.#docs.add(doc);
    this.#counts.add(count);
  }

  take(): Postings {
    return { docs: this.#docs.take(), counts: this.#counts.take() };
  }
}

/** Collects numbers. */
export class NumberBuilder {
  length = 0;
  #numbers = new Uint32Array(64);

  add(number: number): void {
    if (this.length === this.#numbers.length) {
      const grown = new Uint32Array(this.length * 2);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    this.#numbers[this.length++] = number;
  }

  take(): Uint32Array {
    return this.#numbers.subarray(0, this.length);
  }
}
