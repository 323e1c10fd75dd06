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

/** The tiny interface that an engine implements. */
export interface BlockReader {
  /** For each range the blocks that may have its keys, in order. */
  ranges(ranges: readonly KeyRange[]): Promise<Uint8Array[][]>;
  /** The first `limit` such blocks of one range. */
  some(range: KeyRange, limit: number): Promise<Uint8Array[]>;
}
