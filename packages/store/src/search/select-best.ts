import type { SearchPosition } from "../store.ts";
import type { PassagePlace } from "../vectors/vector-rows.ts";

/** The order of hits with equal scores. */
export interface Order {
  readonly time_ms: number | null;
  readonly tie: number;
}

/** A hit before its record is read. */
export interface Candidate extends Order {
  readonly group: number;
  readonly doc: number;
  readonly score: number;
  /** The similar passage of a record that is also a hit by meaning. */
  readonly passage?: PassagePlace | undefined;
}

/** Looks up the order of documents (ascending) with equal scores. */
export type OrderOf = (docs: Uint32Array) => Promise<Order[]>;

const ALONE: Order = { time_ms: null, tie: 0 };
/** How many candidates to hold before pruning: a multiple of those wanted, and at least `HELD_MIN`. */
const HELD_SHARE = 4;
const HELD_MIN = 1_024;

/** Collects the best `count` candidates after a position. Holds a bounded number. */
export class BestCandidates {
  readonly count: number;
  readonly #after: SearchPosition | undefined;
  readonly #scores: BestScores;
  readonly #orders = new Map<number, OrderOf>();
  #held: Candidate[] = [];

  constructor(count: number, after?: SearchPosition) {
    this.count = count;
    this.#after = after;
    this.#scores = new BestScores(count + 1);
  }

  get isFirstPage(): boolean {
    return this.#after === undefined;
  }

  /** The threshold below which a candidate cannot be among the best. */
  get threshold(): number {
    return this.#scores.least;
  }

  /** Takes documents (ascending) of one index with their scores. */
  async offer(group: number, docs: Uint32Array, scores: Float64Array, orderOf: OrderOf): Promise<void> {
    this.#orders.set(group, orderOf);
    const ceiling = this.#after?.score ?? Number.POSITIVE_INFINITY;
    for (let at = 0; at < docs.length; at += 1) {
      const score = scores[at] as number;
      if (score < this.threshold || score > ceiling) continue;
      this.#held.push({ group, doc: docs[at] as number, score, ...ALONE });
      if (score < ceiling) this.#scores.add(score);
    }
    if (this.#held.length > Math.max(HELD_MIN, HELD_SHARE * this.count)) this.#held = await this.take();
  }

  /** The best, in order. */
  async take(): Promise<Candidate[]> {
    return takeBest(await this.#orderEqual(), this.count, this.#after);
  }

  /** The best `count`, in any order. */
  async choose(): Promise<Candidate[]> {
    return this.#held.length <= this.count ? this.#held : (await this.take()).slice(0, this.count);
  }

  /** Looks up the order of candidates with equal scores; unique scores need none. */
  async #orderEqual(): Promise<Candidate[]> {
    const byScore = new Map<number, number>();
    for (const { score } of this.#held) byScore.set(score, (byScore.get(score) ?? 0) + 1);
    const isAlone = ({ score }: Candidate) => byScore.get(score) === 1;
    const ordered = this.#held.filter(isAlone);
    for (const [number, orderOf] of this.#orders) {
      const equal = this.#held
        .filter((one) => one.group === number && !isAlone(one))
        .sort((a, b) => a.doc - b.doc);
      if (equal.length === 0) continue;
      const orders = await orderOf(Uint32Array.from(equal, ({ doc }) => doc));
      ordered.push(...equal.map((one, at) => ({ ...one, ...(orders[at] as Order) })));
    }
    return ordered;
  }
}

/** The best candidates from a position on: one more than `count`, since the first may be the position's own, and those that differ from the last only by id. */
export function takeBest(
  candidates: readonly Candidate[],
  count: number,
  after?: SearchPosition,
): Candidate[] {
  const rest = candidates.filter((one) => !after || compareOrder(one, after) >= 0).sort(compareOrder);
  const last = rest[count];
  return last ? rest.filter((one) => compareOrder(one, last) <= 0) : rest;
}

/** The sort key of a hit. */
type Ranked = Omit<SearchPosition, "tier">;

/** Best first: by score, newest first, then by the tie number and the id. */
export function compareCandidates(a: Ranked, b: Ranked): number {
  return compareOrder(a, b) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function compareOrder(a: Order & { score: number }, b: Order & { score: number }): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.time_ms !== b.time_ms)
    return (b.time_ms ?? Number.NEGATIVE_INFINITY) - (a.time_ms ?? Number.NEGATIVE_INFINITY);
  return a.tie - b.tie;
}

/** The largest `count` numbers of many: a min-heap. */
export class BestScores {
  readonly #heap: Float64Array;
  #size = 0;

  constructor(count: number) {
    this.#heap = new Float64Array(count);
  }

  /** The least of the best; 0 while there are fewer. */
  get least(): number {
    return this.#size < this.#heap.length ? 0 : (this.#heap[0] as number);
  }

  add(score: number): void {
    const heap = this.#heap;
    if (this.#size < heap.length) {
      let at = this.#size++;
      for (let up = (at - 1) >> 1; at > 0 && (heap[up] as number) > score; up = (at - 1) >> 1) {
        heap[at] = heap[up] as number;
        at = up;
      }
      heap[at] = score;
      return;
    }
    if (score <= (heap[0] as number)) return;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child += 1;
      if ((heap[child] as number) >= score) break;
      heap[at] = heap[child] as number;
      at = child;
    }
    heap[at] = score;
  }
}
