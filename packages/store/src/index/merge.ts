/** Merges neighbouring runs into one: entries are copied, not decoded, unless a document in them is gone. */
import { type Block, BlockCursor, BlockWriter } from "./block.ts";
import { compareBytes } from "./bytes.ts";
import { firstNumber, listLength, Section, secondNumber } from "./keys.ts";
import { eachNumber, eachPosition, eachPosting, type ListEntry, ListWriter, lastDocOf } from "./list.ts";

const HEAD_BYTES = 6;

/** Gives the blocks of one run in order, a few at a time; an empty answer is the end. */
export type BlockFeed = () => Promise<readonly Block[]>;

/**
 * Merges runs given in order of their documents. `dead` holds the numbers of documents that are gone, rising.
 * `emit` gets the new run's blocks in order, a batch at a time.
 */
export async function mergeRuns(
  feeds: readonly BlockFeed[],
  dead: readonly number[],
  emit: (blocks: Block[]) => Promise<void>,
): Promise<void> {
  let batch: Block[] = [];
  const blocks = new BlockWriter((block) => batch.push(block));
  const lists = new ListWriter(blocks);
  const inputs: Input[] = [];
  for (const feed of feeds) {
    const input = new Input(feed);
    if (await input.advance()) inputs.push(input);
  }
  while (inputs.length > 0) {
    const least = smallest(inputs);
    const { cursor, head } = least;
    lists.begin(cursor.key, listLength(cursor.key, cursor.keyLength));
    // Runs are in order of their documents: a list's entries are those of one run after those of the run before.
    for (let at = inputs.indexOf(least); at < inputs.length; at += 1) {
      const input = inputs[at] as Input;
      while (
        input.head === head &&
        lists.isAt(input.cursor.key, listLength(input.cursor.key, input.cursor.keyLength))
      ) {
        copyEntry(lists, input.cursor, dead);
        if (input.step() || (await input.advance())) continue;
        inputs.splice(at--, 1);
        break;
      }
    }
    if (batch.length >= 256) {
      await emit(batch);
      batch = [];
    }
  }
  lists.end();
  blocks.flush();
  if (batch.length > 0) await emit(batch);
}

class Input {
  cursor = new BlockCursor(new Uint8Array(0));
  /** The first bytes of the key as a number: most comparisons look no further. */
  head = 0;
  readonly #feed: BlockFeed;
  #blocks: readonly Block[] = [];
  #next = 0;

  constructor(feed: BlockFeed) {
    this.#feed = feed;
  }

  /** To the next entry of the blocks at hand. */
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

  /** To the next entry of blocks that have to be fetched. */
  async advance(): Promise<boolean> {
    this.#blocks = await this.#feed();
    this.#next = 0;
    return this.#blocks.length > 0 && this.step();
  }
}

function smallest(inputs: readonly Input[]): Input {
  let least = inputs[0] as Input;
  for (let at = 1; at < inputs.length; at += 1) {
    const other = inputs[at] as Input;
    if (other.head !== least.head) {
      if (other.head < least.head) least = other;
      continue;
    }
    const a = other.cursor;
    const b = least.cursor;
    if (compareBytes(a.key, a.keyLength, b.key, b.keyLength) < 0) least = other;
  }
  return least;
}

function copyEntry(lists: ListWriter, cursor: BlockCursor, dead: readonly number[]): void {
  const { key, body, valueStart: start, valueEnd: end } = cursor;
  const length = listLength(key, cursor.keyLength);
  const firstDoc = firstNumber(key, length);
  const isTerm = key[0] !== 0;
  const isPositions = isTerm && key[length - 1] === Section.positions;
  const entry: ListEntry | undefined = dead.length === 0 ? undefined : { firstDoc, body, start, end };
  if (!entry || !anyWithin(dead, firstDoc, lastDocOf(entry))) {
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

/** Whether a rising list has a number from `first` to `last`. */
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
