import type { BlockReader, KeyRange } from "./block-reader.ts";
import { compareBytes } from "./bytes.ts";

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
