/** A round-robin queue of jobs over lanes; a lane's own jobs keep their order, and only a few run at once. */
export class LaneQueue<Job> {
  readonly #max: number;
  /** In the order of turns. */
  readonly #waiting = new Map<string, Job[]>();
  readonly #running = new Map<string, number>();

  /** At most `max` jobs of a lane run at once. */
  constructor(max: number) {
    this.#max = max;
  }

  add(lane: string, job: Job): void {
    const jobs = this.#waiting.get(lane);
    if (jobs) jobs.push(job);
    else this.#waiting.set(lane, [job]);
  }

  /** The next job to run, of a lane that may; its lane goes to the end of the turns. Call `finish` when the job is done. */
  take(
    mayRun: (lane: string) => boolean = () => true,
  ): { readonly lane: string; readonly job: Job } | undefined {
    for (const [lane, jobs] of this.#waiting) {
      const running = this.#running.get(lane) ?? 0;
      const job = jobs[0];
      if (running >= this.#max || job === undefined || !mayRun(lane)) continue;
      this.#waiting.delete(lane);
      if (jobs.length > 1) this.#waiting.set(lane, jobs.slice(1));
      this.#running.set(lane, running + 1);
      return { lane, job };
    }
    return undefined;
  }

  /** How many lanes have a job that may run now. */
  countReady(mayRun: (lane: string) => boolean): number {
    const isReady = (lane: string) => (this.#running.get(lane) ?? 0) < this.#max && mayRun(lane);
    return [...this.#waiting.keys()].filter(isReady).length;
  }

  /** Frees the slot of a finished job. */
  finish(lane: string): void {
    const running = (this.#running.get(lane) ?? 0) - 1;
    if (running > 0) this.#running.set(lane, running);
    else this.#running.delete(lane);
  }

  /** Drops a queued job; false if it is not queued. */
  drop(lane: string, job: Job): boolean {
    const jobs = this.#waiting.get(lane) ?? [];
    const left = jobs.filter((each) => each !== job);
    if (left.length === 0) this.#waiting.delete(lane);
    else this.#waiting.set(lane, left);
    return left.length < jobs.length;
  }

  /** Drops all queued jobs, and returns them. */
  clear(): Job[] {
    const jobs = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return jobs;
  }
}
