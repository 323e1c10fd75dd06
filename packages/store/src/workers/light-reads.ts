/** Which threads run light reads now, in shared memory, so that a heavy read can check while it computes (R56). */
import type { ReadTimes } from "./messages.ts";

/** How long a heavy read sleeps before it checks again. */
const PAUSE_MS = 2;
/**
 * A heavy read yields for at most this multiple of its running time: beside endless light reads, it still gets a
 * quarter of a thread.
 */
export const GIVE_WAY_TIMES = 3;

/** The cells of all threads of a store. */
export class LightReads {
  readonly #memory: Int32Array;
  readonly #free: number[];

  constructor(threads: number) {
    this.#memory = new Int32Array(new SharedArrayBuffer(threads * Int32Array.BYTES_PER_ELEMENT));
    this.#free = [...this.#memory.keys()];
  }

  /** Assigns a cell to a new thread. */
  take(): LightPlace {
    const at = this.#free.pop();
    if (at === undefined) throw new Error("There are more threads than places.");
    return new LightPlace({ memory: this.#memory, at });
  }

  /** Releases the cell of an ended thread. */
  free(place: LightPlace): void {
    place.isLight = false;
    this.#free.push(place.shared.at);
  }
}

/** One thread's cell of the shared memory. */
export interface SharedPlace {
  readonly memory: Int32Array;
  readonly at: number;
}

/** The cell of one thread, held by both the pool and the thread. */
export class LightPlace {
  readonly shared: SharedPlace;

  constructor(shared: SharedPlace) {
    this.shared = shared;
  }

  get isLight(): boolean {
    return Atomics.load(this.shared.memory, this.shared.at) !== 0;
  }

  set isLight(isLight: boolean) {
    Atomics.store(this.shared.memory, this.shared.at, Number(isLight));
  }

  /** Whether another thread runs a light read. */
  hasOthers(): boolean {
    const { memory, at: own } = this.shared;
    return memory.some((_, at) => at !== own && Atomics.load(memory, at) !== 0);
  }
}

/** The CPU time of this thread; the elapsed time where Node does not report it (before 23.9). */
export function readThreadMs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? { user: performance.now() * 1_000, system: 0 };
  return (user + system) / 1_000;
}

/** Makes a read yield once it is heavy. */
export class GiveWay {
  readonly #place: LightPlace;
  /** Not zero when the read is cancelled, which wakes it. */
  readonly #flag: Int32Array;
  readonly #clock: () => number;
  #began = 0;
  #light_ms = 0;
  #paused_ms = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `clock` is the time that the thread uses. */
  constructor(place: LightPlace, flag: Int32Array, clock: () => number) {
    this.#place = place;
    this.#flag = flag;
    this.#clock = clock;
  }

  /** Begins a read that is light for `light_ms`. */
  begin(light_ms: number): void {
    this.#began = this.#clock();
    this.#light_ms = light_ms;
    this.#paused_ms = 0;
    // While it computes, `pause` checks; while it waits, for PostgreSQL or for vectors, a timer does.
    if (light_ms < Infinity) this.#timer = setTimeout(() => this.#becomeHeavy(), light_ms);
  }

  /** Ends the read. */
  end(): ReadTimes {
    clearTimeout(this.#timer);
    return { ran_ms: this.#ran_ms, paused_ms: this.#paused_ms };
  }

  /** Pauses a heavy read while others run light ones, at most `GIVE_WAY_TIMES` as long as it runs; returns for how long. */
  pause(): number {
    const ran_ms = this.#ran_ms;
    if (ran_ms < this.#light_ms) return 0;
    this.#becomeHeavy();
    const before = this.#paused_ms;
    const most_ms = GIVE_WAY_TIMES * ran_ms;
    while (this.#paused_ms < most_ms && this.#place.hasOthers() && Atomics.load(this.#flag, 0) === 0) {
      const [slept, used] = [performance.now(), this.#clock()];
      Atomics.wait(this.#flag, 0, 0, PAUSE_MS);
      this.#paused_ms += performance.now() - slept;
      this.#began += this.#clock() - used;
    }
    return this.#paused_ms - before;
  }

  get #ran_ms(): number {
    return this.#clock() - this.#began;
  }

  #becomeHeavy(): void {
    this.#place.isLight = false;
  }
}
