/**
 * The recent thread time of each lane. Reads of a lane that used its share are heavy, and yield to light ones (R56).
 */

/** A lane's reads are heavy once it used its share within about this time. */
const MEMORY_MS = 1_000;
/** Above this many lanes, those that used almost nothing lately are forgotten. */
const LANES_MAX = 1_000;

interface Use {
  readonly ms: number;
  readonly at_ms: number;
}

export class LaneUse {
  readonly #uses = new Map<string, Use>();
  readonly #share_ms: number;
  readonly #now: () => number;

  constructor(share_ms: number, now: () => number = () => performance.now()) {
    this.#share_ms = share_ms;
    this.#now = now;
  }

  /** How long the lane's next read is light; zero when it is heavy from its start. */
  leftMs(lane: string): number {
    return Math.max(0, this.#share_ms - this.#read(lane));
  }

  /** Charges a lane for a read. */
  add(lane: string, ms: number): void {
    this.#uses.set(lane, { ms: this.#read(lane) + ms, at_ms: this.#now() });
    if (this.#uses.size <= LANES_MAX) return;
    for (const other of this.#uses.keys()) if (this.#read(other) < 1) this.#uses.delete(other);
  }

  #read(lane: string): number {
    const { ms, at_ms } = this.#uses.get(lane) ?? { ms: 0, at_ms: 0 };
    return ms * Math.exp((at_ms - this.#now()) / MEMORY_MS);
  }
}
