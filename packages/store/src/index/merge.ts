/** Merges neighbouring segments into one. Copies entries without decoding them, unless they contain a deleted document. */
import { type Block, BlockCursor, BlockWriter, compareBytes } from "./blocks.ts";
import { firstNumber, isDictionaryKey, listLength, Section, secondNumber } from "./keys.ts";
import {
  eachNumber,
  eachPosition,
  eachPosting,
  findLastDoc,
  type ListEntry,
  ListWriter,
  readExtent,
  type TermExtent,
} from "./list.ts";

const HEAD_BYTES = 6;

/** Reads the blocks of one segment in order, a few at a time; returns an empty list at the end. */
export type BlockFeed = () => Promise<readonly Block[]>;

/**
 * Merges segments in document order. `dead` lists the deleted documents, ascending.
 * `emit` gets the new segment's blocks in order, a batch at a time.
 */
export async function mergeSegmentBlocks(
  feeds: readonly BlockFeed[],
  dead: readonly number[],
  emit: (blocks: Block[]) => Promise<void>,
): Promise<void> {
  let batch: Block[] = [];
  const blocks = new BlockWriter((block) => batch.push(block));
  const lists = new ListWriter(blocks);
  const terms = new TermMerger(lists);
  const heap = await openInputs(feeds);
  for (let least = heap[0]; least; least = heap[0]) {
    const { cursor } = least;
    const length = listLength(cursor.key, cursor.keyLength);
    if (isDictionaryKey(cursor.key)) terms.add(cursor);
    else {
      terms.flush();
      if (!lists.isAt(cursor.key, length)) lists.begin(cursor.key, length);
      // Segments are in document order, so the entries of a list are too.
      copyEntry(lists, cursor, dead);
    }
    if (!least.step() && !(await least.advance())) dropFirst(heap);
    sink(heap, 0);
    if (batch.length >= 256) {
      await emit(batch);
      batch = [];
    }
  }
  terms.flush();
  lists.end();
  blocks.flush();
  if (batch.length > 0) await emit(batch);
}

/** Joins the dictionary entries of one term. */
class TermMerger {
  readonly #lists: ListWriter;
  #key: Uint8Array | undefined;
  #extent: TermExtent | undefined;

  constructor(lists: ListWriter) {
    this.#lists = lists;
  }

  add({ key, keyLength, body, valueStart, valueEnd }: BlockCursor): void {
    const extent = readExtent(body, valueStart, valueEnd);
    if (this.#key && compareBytes(this.#key, this.#key.length, key, keyLength) === 0) {
      this.#extent = this.#extent && extent && joinExtents(this.#extent, extent);
      return;
    }
    this.flush();
    this.#key = key.slice(0, keyLength);
    this.#extent = extent;
  }

  flush(): void {
    if (this.#key) this.#lists.term(this.#key, this.#key.length, this.#extent);
    this.#key = undefined;
  }
}

function joinExtents(a: TermExtent, b: TermExtent): TermExtent {
  return {
    firstDoc: Math.min(a.firstDoc, b.firstDoc),
    lastDoc: Math.max(a.lastDoc, b.lastDoc),
    fields: Uint8Array.from(new Set([...a.fields, ...b.fields])).sort(),
  };
}

class Input {
  cursor = new BlockCursor(new Uint8Array(0));
  /** The first bytes of the key as a number: most comparisons need no more. */
  head = 0;
  /** The index of its segment. */
  readonly order: number;
  readonly #feed: BlockFeed;
  #blocks: readonly Block[] = [];
  #next = 0;

  constructor(feed: BlockFeed, order: number) {
    this.#feed = feed;
    this.order = order;
  }

  /** Advances to the next entry of the loaded blocks. */
  step(): boolean {
    while (!this.cursor.next()) {
      const block = this.#blocks[this.#next++];
      if (!block) return false;
      this.cursor = new BlockCursor(block.body);
    }
    const { key, keyLength } = this.cursor;
    this.head = 0;
    for (let at = 0; at < HEAD_BYTES; at += 1)
      this.head = this.head * 256 + (at < keyLength ? (key[at] as number) : 0);
    return true;
  }

  /** Loads more blocks and advances to their first entry. */
  async advance(): Promise<boolean> {
    this.#blocks = await this.#feed();
    this.#next = 0;
    return this.#blocks.length > 0 && this.step();
  }
}

/** The inputs that have an entry, as a binary min-heap. */
async function openInputs(feeds: readonly BlockFeed[]): Promise<Input[]> {
  const heap: Input[] = [];
  for (const [order, feed] of feeds.entries()) {
    const input = new Input(feed, order);
    if (await input.advance()) heap.push(input);
  }
  for (let at = heap.length >> 1; at >= 0; at -= 1) sink(heap, at);
  return heap;
}

function dropFirst(heap: Input[]): void {
  const last = heap.pop() as Input;
  if (heap.length > 0) heap[0] = last;
}

/** Sifts an input down to its place in the heap. */
function sink(heap: Input[], from: number): void {
  const input = heap[from];
  if (!input) return;
  let at = from;
  for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
    const right = heap[child + 1];
    if (right && isBefore(right, heap[child] as Input)) child += 1;
    const least = heap[child] as Input;
    if (!isBefore(least, input)) break;
    heap[at] = least;
    at = child;
  }
  heap[at] = input;
}

function isBefore(a: Input, b: Input): boolean {
  if (a.head !== b.head) return a.head < b.head;
  const order = compareBytes(a.cursor.key, a.cursor.keyLength, b.cursor.key, b.cursor.keyLength);
  return order === 0 ? a.order < b.order : order < 0;
}

function copyEntry(lists: ListWriter, cursor: BlockCursor, dead: readonly number[]): void {
  const { key, body, valueStart: start, valueEnd: end } = cursor;
  const length = listLength(key, cursor.keyLength);
  const firstDoc = firstNumber(key, length);
  const isTerm = key[0] !== 0;
  const isPositions = isTerm && key[length - 1] === Section.positions;
  const entry: ListEntry | undefined = dead.length === 0 ? undefined : { firstDoc, body, start, end };
  if (!entry || !anyWithin(dead, firstDoc, findLastDoc(entry))) {
    lists.entry(firstDoc, isPositions ? secondNumber(key, length) : undefined, body, start, end);
    return;
  }
  const lives = (doc: number) => !anyWithin(dead, doc, doc);
  if (isPositions) {
    eachPosition(entry, lives, (doc, position) => {
      lists.beginPositions(doc, 1);
      lists.position(position);
    });
  } else if (isTerm) {
    eachPosting(entry, (doc, frequency) => lives(doc) && lists.posting(doc, frequency));
  } else {
    eachNumber(entry, (doc, value) => lives(doc) && lists.number(doc, value));
  }
}

/** Whether an ascending list has a number from `first` to `last`. */
function anyWithin(numbers: readonly number[], first: number, last: number): boolean {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < first) low = middle + 1;
    else high = middle;
  }
  return low < numbers.length && (numbers[low] as number) <= last;
}
