import { PAGE_DOCS, PAGE_SHIFT } from "./doc-set.ts";

/** The greatest count that is kept. */
export const MOST_COUNT = 255;

/** How many pages of counts one search of an index may hold. */
export interface CountRoom {
  pages: number;
}

/** How often documents have a clause: a byte a document, in pages of documents that exist only where there are any. */
export class DocCounts {
  readonly #pages = new Map<number, Uint8ClampedArray>();
  readonly #room: CountRoom;

  constructor(room: CountRoom) {
    this.#room = room;
  }

  /** Whether there was room for all counts. */
  get isComplete(): boolean {
    return this.#room.pages >= 0;
  }

  /** Adds to the count of a document; stops at `MOST_COUNT`, as arrays of clamped bytes do. */
  add(doc: number, count: number): void {
    this.openPage(doc >>> PAGE_SHIFT)[doc & (PAGE_DOCS - 1)]! += count;
  }

  /** The counts of a page, to be added to: for loops over many documents. */
  openPage(number: number): Uint8ClampedArray {
    return this.#pages.get(number) ?? this.#addPage(number);
  }

  /** The counts of a page; undefined when all are 0. */
  page(number: number): Uint8ClampedArray | undefined {
    return this.#pages.get(number);
  }

  #addPage(number: number): Uint8ClampedArray {
    const page = new Uint8ClampedArray(PAGE_DOCS);
    if (this.#room.pages > 0) this.#pages.set(number, page);
    this.#room.pages -= 1;
    if (!this.isComplete) this.#pages.clear();
    return page;
  }
}
