/**
 * Threads that read for callers, so that no read delays another caller or the event loop. A read ends when its caller
 * disconnects: a waiting one is dropped, a running one is cancelled, and a thread that does not react is replaced.
 */
import { AsyncResource } from "node:async_hooks";
import { ApiError } from "@rungs/contract";
import type {
  AbandonedReads,
  Caller,
  Embedder,
  ReplicaStatus,
  SlowQueryLog,
  SpentWork,
  Traffic,
} from "../store.ts";
import { LaneQueue } from "./lane-queue.ts";
import type { LaneUse } from "./lane-use.ts";
import { GIVE_WAY_TIMES, type LightReads } from "./light-reads.ts";
import { addCounts, type ServerKind, type ToWorker, type WorkerStart } from "./messages.ts";
import { ReadThread } from "./read-thread.ts";

export interface ReadPoolOptions {
  /** How many light reads run at once. Heavy ones yield and take no slot, but at most one fewer may run. */
  readonly size: number;
  /** The recent use of lanes; without it, no read is heavy. */
  readonly use: LaneUse | undefined;
  readonly start: Omit<WorkerStart, "flag" | "model" | "place">;
  readonly light_reads: LightReads;
  readonly embedder: Embedder | null;
  /** Counters of all threads' reads and work, abandoned reads, and the time spent yielding. */
  readonly traffic: Traffic;
  readonly work: SpentWork;
  readonly abandoned: AbandonedReads;
  readonly given_way: { ms: number };
  /** The replica that may answer, if there is one. */
  readonly replica: ReplicaStatus | undefined;
  /** Receives slow statements of threads. */
  readonly slow_queries: SlowQueryLog | undefined;
  /** The time limit of a read's budget, not counting the time in which it yields. */
  readonly read_ms: number;
  /** How long a thread may take to notice that its read is cancelled. */
  readonly grace_ms: number;
}

type Request = Omit<Extract<ToWorker, { kind: "read" }>, "light_ms" | "write_version">;

/** The caller of a read. */
interface Reading {
  readonly lane?: string;
  readonly signal?: AbortSignal | undefined;
  readonly seen?: Seen;
}

/** State shared by one caller's reads: once the primary has answered, all go there, so that reads are monotonic. */
export interface Seen {
  readonly caller: Pick<Caller, "write_version">;
  isNewest: boolean;
}

interface Job {
  readonly request: Request;
  readonly reading: Reading;
  readonly answered: PromiseWithResolvers<unknown>;
  /** Reports slow statements in the async context of the caller, by which the log knows who it is. */
  readonly report: SlowQueryLog["report"] | undefined;
  /** Cancels the read; set while it runs. */
  cancel?: () => void;
}

/** A lane has one thread at a time. */
const LANE_SIZE = 1;
/** How often a pool checks whether a read became heavy, so that another may begin. */
const LOOK_MS = 50;

export class ReadPool {
  readonly #options: ReadPoolOptions;
  readonly #queue = new LaneQueue<Job>(LANE_SIZE);
  readonly #idle: ReadThread[] = [];
  readonly #threads = new Set<ReadThread>();
  /** Threads that load their program. No read is bound to one: a thread that becomes free earlier takes it. */
  readonly #starting = new Set<ReadThread>();
  #isClosed = false;

  constructor(options: ReadPoolOptions) {
    this.#options = options;
  }

  /** Runs a read when it is the lane's turn. */
  async read(name: Request["name"], args: readonly unknown[], reading: Reading = {}): Promise<unknown> {
    const { lane = "", signal } = reading;
    signal?.throwIfAborted();
    const { slow_queries } = this.#options;
    const job: Job = {
      request: { kind: "read", name, args },
      reading,
      answered: Promise.withResolvers(),
      report: slow_queries && AsyncResource.bind(slow_queries.report),
    };
    const leave = () => {
      if (this.#queue.drop(lane, job)) this.#options.abandoned.dropped += 1;
      else job.cancel?.();
      job.answered.reject(signal?.reason);
    };
    signal?.addEventListener("abort", leave, { once: true });
    this.#queue.add(lane, job);
    this.#startNext();
    try {
      return await job.answered.promise;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  /** Breaks all connections to a server that no longer answers. */
  drop(server: ServerKind): void {
    for (const thread of this.#threads) thread.drop(server);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { answered } of this.#queue.clear()) answered.reject(createInterrupted());
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #startNext(): void {
    const { size, use } = this.#options;
    const mayRun = (lane: string) => use?.leftMs(lane) !== 0 || this.#countHeavy() < Math.max(1, size - 1);
    while (!this.#isClosed) {
      const thread = this.#idle.at(-1);
      const next = thread && this.#queue.take(mayRun);
      if (!thread || !next) break;
      this.#idle.pop();
      void this.#run(thread, next.lane, next.job);
    }
    const isShort = () => this.#starting.size < this.#queue.countReady(mayRun);
    while (!this.#isClosed && this.#idle.length === 0 && this.#mayGrow && isShort()) this.#tryGrow();
  }

  /** Starts a thread; when it cannot start, a read that waits for it fails. */
  #tryGrow(): void {
    try {
      const thread = this.#grow();
      this.#starting.add(thread);
      void thread.ready.then(() => {
        this.#starting.delete(thread);
        if (thread.isUsable) this.#idle.push(thread);
        this.#startNext();
      });
    } catch (error) {
      this.#failNext(error);
    }
  }

  #failNext(error: unknown): void {
    const next = this.#queue.take();
    next?.job.answered.reject(error);
    if (next) this.#queue.finish(next.lane);
  }

  #countHeavy(): number {
    return [...this.#threads].filter((thread) => !this.#idle.includes(thread) && !thread.place.isLight)
      .length;
  }

  /** Whether another thread may start. Up to a bound, it need not wait for threads that run heavy reads or end slowly. */
  get #mayGrow(): boolean {
    const { size } = this.#options;
    const light = [...this.#threads].filter(({ isUsable, place }) => isUsable && place.isLight).length;
    return light + this.#starting.size < size && this.#threads.size < 2 * size;
  }

  #grow(): ReadThread {
    const { start, embedder, light_reads } = this.#options;
    const place = light_reads.take();
    let thread: ReadThread;
    try {
      thread = new ReadThread(start, embedder, place);
    } catch (error) {
      light_reads.free(place);
      throw error;
    }
    this.#threads.add(thread);
    void thread.exited.then(() => {
      light_reads.free(place);
      this.#threads.delete(thread);
      // Restarting one that ended before it was ready would loop forever.
      if (this.#starting.delete(thread)) this.#failNext(createInterrupted());
      const at = this.#idle.indexOf(thread);
      if (at !== -1) this.#idle.splice(at, 1);
      this.#startNext();
    });
    return thread;
  }

  async #run(thread: ReadThread, lane: string, job: Job): Promise<void> {
    const { read_ms, grace_ms, size, use, traffic, work, abandoned, given_way, replica } = this.#options;
    let grace: NodeJS.Timeout | undefined;
    job.cancel = () => {
      if (grace) return;
      abandoned.cancelled += 1;
      thread.cancel();
      grace = setTimeout(() => {
        void thread.end();
        this.#startNext();
      }, grace_ms);
    };
    const deadline = setTimeout(
      () => {
        job.answered.reject(createTooSlow(read_ms));
        job.cancel?.();
      },
      // The budget starts when the read begins in its thread, and excludes the time in which it yields.
      (1 + GIVE_WAY_TIMES) * read_ms + grace_ms,
    );
    const look = setInterval(() => this.#startNext(), LOOK_MS);
    const began = performance.now();
    try {
      const { seen } = job.reading;
      const mayLag = replica?.state === "used" && seen && !seen.isNewest;
      const write_version = mayLag ? seen.caller.write_version : undefined;
      const light_ms = use?.leftMs(lane) ?? Infinity;
      const { value, server, counts } = await thread.ask(
        { ...job.request, light_ms, write_version },
        job.report,
      );
      if (server === "primary" && seen) seen.isNewest = true;
      if (replica && write_version !== undefined) replica[server === "replica" ? "reads" : "sent_on"] += 1;
      addCounts(traffic, counts.traffic);
      addCounts(work, counts.work);
      job.answered.resolve(value);
    } catch (error) {
      job.answered.reject(thread.isUsable ? error : createInterrupted());
    } finally {
      clearInterval(look);
      clearTimeout(deadline);
      clearTimeout(grace);
    }
    use?.add(lane, thread.times?.ran_ms ?? performance.now() - began);
    given_way.ms += thread.times?.paused_ms ?? 0;
    // One spare thread for a heavy read: starting one each time would cost more than most reads.
    if (thread.isUsable && this.#idle.length <= size) this.#idle.push(thread);
    else {
      // A lane keeps its slot until its thread is free or gone, so that no caller accumulates slowly ending threads.
      void thread.end();
      await thread.exited;
    }
    this.#queue.finish(lane);
    this.#startNext();
  }
}

function createInterrupted(): ApiError {
  return new ApiError("read_cancelled");
}

function createTooSlow(read_ms: number): ApiError {
  return new ApiError("work_limit_exceeded", {
    message: `This request needs more than ${read_ms.toLocaleString("en")} milliseconds, the limit of one request.`,
    limit: read_ms,
    unit: "milliseconds",
  });
}
