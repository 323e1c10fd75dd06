import type { WorkBudget } from "../work-budget.ts";

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
