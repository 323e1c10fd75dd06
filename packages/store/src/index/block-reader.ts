import type { WorkBudget } from "../work-budget.ts";
import { compareBytes } from "./bytes.ts";

export interface IndexSegment {
  readonly id: number;
  readonly first_doc: number;
  readonly last_doc: number;
}

export interface KeyRange {
  readonly segment: number;
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

/** What the index needs from an engine. */
export interface BlockReader {
  /** What reads may still do; undefined when they have no limit. */
  readonly budget?: WorkBudget | undefined;
  /** For each range, the first `limit` blocks that may contain its keys, in order. */
  ranges(ranges: readonly KeyRange[], limit?: number): Promise<Uint8Array[][]>;
}

/** The segments of an index, and how their blocks are read. */
export interface IndexSource {
  readonly blocks: BlockReader;
  readonly segments: readonly IndexSegment[];
}

/** How many ranges are read in one round trip, and how many blocks of each: what a read holds in memory at once. */
const ROUND_RANGES = 64;
const ROUND_BLOCKS = 32;

/** A range to read, and who takes its blocks. */
export interface RangeRead {
  readonly range: KeyRange;
  /** Takes the next blocks of the range; returns the last key that it wanted in them, or undefined to end the range. */
  take(bodies: readonly Uint8Array[]): Uint8Array | undefined;
}

/** Reads ranges of any size in rounds of bounded size. */
export async function readRounds(blocks: BlockReader, reads: readonly RangeRead[]): Promise<void> {
  let pending = [...reads];
  while (pending.length > 0) {
    const round = pending.slice(0, ROUND_RANGES);
    pending = pending.slice(ROUND_RANGES);
    const bodies = await blocks.ranges(
      round.map(({ range }) => range),
      ROUND_BLOCKS,
    );
    const unfinished: RangeRead[] = [];
    for (const [at, read] of round.entries()) {
      const own = bodies[at] as Uint8Array[];
      const last = read.take(own);
      if (!last || own.length < ROUND_BLOCKS) continue;
      const range = { ...read.range, from: Uint8Array.of(...last, 0) };
      if (compareBytes(range.from, range.from.length, range.to, range.to.length) < 0)
        unfinished.push({ ...read, range });
    }
    pending.unshift(...unfinished);
  }
}
