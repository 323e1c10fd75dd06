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
