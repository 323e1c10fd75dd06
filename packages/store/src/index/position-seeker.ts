import type { BlockReader, IndexSegment } from "./blocks.ts";
import { entryKey } from "./keys.ts";
import { eachPosition } from "./list.ts";
import { ListVisitor } from "./list-ranges.ts";

/** The block with the entry before a position, and the next one. */
const SEEK_BLOCKS = 2;

/** Seeks in the positions of one document, which may continue over several segments. */
export class PositionSeeker {
  readonly #blocks: BlockReader;
  readonly #segments: IndexSegment[];
  readonly #list: Uint8Array;
  readonly #doc: number;
  #known: number[] = [];
  #at = 0;

  constructor(blocks: BlockReader, segments: readonly IndexSegment[], list: Uint8Array, doc: number) {
    this.#blocks = blocks;
    this.#segments = [...segments];
    this.#list = list;
    this.#doc = doc;
  }

  /** The first position at or after `target`; infinite when there is none. Targets must ascend from call to call. */
  async seek(target: number): Promise<number> {
    for (;;) {
      while (this.#at < this.#known.length && (this.#known[this.#at] as number) < target) this.#at += 1;
      const position = this.#known[this.#at];
      if (position !== undefined) return position;
      if (!(await this.#read(target))) return Number.POSITIVE_INFINITY;
    }
  }

  /** Reads the blocks around `target`, or those of the next segment that has a position after it. */
  async #read(target: number): Promise<boolean> {
    const to = entryKey(this.#list, this.#doc + 1);
    for (let segment = this.#segments[0]; segment; segment = this.#segments[0]) {
      const from = entryKey(this.#list, this.#doc, target);
      const [bodies = []] = await this.#blocks.ranges([{ segment: segment.id, from, to }], SEEK_BLOCKS);
      const known: number[] = [];
      const visitor = new ListVisitor(this.#list, (entry) =>
        eachPosition(
          entry,
          (doc) => doc === this.#doc,
          (_doc, position) => {
            if (position >= target) known.push(position);
          },
        ),
      );
      visitor.visit(bodies);
      this.#blocks.budget?.spend("postings", known.length);
      this.#known = known;
      this.#at = 0;
      if (known.length > 0) return true;
      this.#segments.shift();
    }
    return false;
  }
}
