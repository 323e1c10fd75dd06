/** Spans of tokens, each of one field of one document, with consecutive positions. */
export class TokenSpans {
  count = 0;
  doc = new Uint32Array(1 << 10);
  field = new Uint8Array(1 << 10);
  firstToken = new Int32Array(1 << 10);
  /** Added to a token's number, gives its position. */
  shift = new Int32Array(1 << 10);

  add(doc: number, field: number, firstToken: number, firstPosition: number): void {
    const at = this.count++;
    if (at === this.doc.length) this.#grow();
    this.doc[at] = doc;
    this.field[at] = field;
    this.firstToken[at] = firstToken;
    this.shift[at] = firstPosition - firstToken;
  }

  #grow(): void {
    const size = this.doc.length * 2;
    this.doc = grown(this.doc, new Uint32Array(size));
    this.field = grown(this.field, new Uint8Array(size));
    this.firstToken = grown(this.firstToken, new Int32Array(size));
    this.shift = grown(this.shift, new Int32Array(size));
  }
}

/** Copies numbers to the start of a larger array. */
export function grown<T extends Int32Array | Uint32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
