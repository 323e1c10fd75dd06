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
  /** For each range, the blocks that may contain its keys, in order. */
  ranges(ranges: readonly KeyRange[]): Promise<Uint8Array[][]>;
  /** The first `limit` such blocks of one range. */
  some(range: KeyRange, limit: number): Promise<Uint8Array[]>;
}
