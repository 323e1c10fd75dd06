/**
 * Threads that read for callers, so that no read delays another caller or the event loop. A read ends when its caller goes:
 * one that waits is dropped, one that runs is cancelled, and a thread that does not react is replaced.
 */
import { ApiError } from "@rungs/contract";
import type { AbandonedReads, Caller, Embedder, SpentWork, Traffic } from "../store.ts";
import { LaneQueue } from "./lane-queue.ts";
import { addCounts, type ToWorker, type WorkerStart } from "./messages.ts";
import { ReadThread } from "./read-thread.ts";

export interface ReadPoolOptions {
  /** How many threads read at once. */
  readonly size: number;
  /** How many of them one lane may have. */
  readonly lane_size: number;
  readonly start: Omit<WorkerStart, "flag" | "model">;
  readonly embedder: Embedder | null;
  /** Count what all threads read and did, and what their callers abandoned. */
  readonly traffic: Traffic;
  readonly work: SpentWork;
  readonly abandoned: AbandonedReads;
  /** When to cancel a read that its own budget has not ended. */
  readonly read_ms: number;
  /** How long a thread may take to notice that its read is cancelled. */
  readonly grace_ms: number;
}

type Request = Extract<ToWorker, { kind: "read" }>;

interface Job {
  readonly request: Request;
  readonly answered: PromiseWithResolvers<unknown>;
  /** Cancels the read; set while it runs. */
  cancel?: () => void;
}

export class ReadPool {
  readonly #options: ReadPoolOptions;
  readonly #queue: LaneQueue<Job>;
  readonly #idle: ReadThread[] = [];
  readonly #threads = new Set<ReadThread>();
  #isClosed = false;

  constructor(options: ReadPoolOptions) {
    this.#options = options;
    this.#queue = new LaneQueue(options.lane_size);
  }

  /** Makes a read when the caller's lane has its turn. */
  async read(request: Request, { lane = "", signal }: Partial<Caller> = {}): Promise<unknown> {
    signal?.throwIfAborted();
    const job: Job = { request, answered: Promise.withResolvers() };
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

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { answered } of this.#queue.clear()) answered.reject(createInterrupted());
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #startNext(): void {
    while (!this.#isClosed && (this.#idle.length > 0 || this.#mayGrow)) {
      const next = this.#queue.take();
      if (!next) return;
      void this.#run(this.#idle.pop() ?? this.#grow(), next.lane, next.job);
    }
  }

  /** A thread that ends slowly is replaced before it is gone, but not without bound. */
  get #mayGrow(): boolean {
    const { size } = this.#options;
    const usable = [...this.#threads].filter(({ isUsable }) => isUsable).length;
    return usable < size && this.#threads.size < 2 * size;
  }

  #grow(): ReadThread {
    const { start, embedder } = this.#options;
    const thread = new ReadThread(start, embedder);
    this.#threads.add(thread);
    void thread.exited.then(() => {
      this.#threads.delete(thread);
      this.#startNext();
    });
    return thread;
  }

  async #run(thread: ReadThread, lane: string, job: Job): Promise<void> {
    const { read_ms, grace_ms, traffic, work, abandoned } = this.#options;
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
    const deadline = setTimeout(() => {
      job.answered.reject(createTooSlow(read_ms));
      job.cancel?.();
    }, read_ms);
    try {
      const { value, counts } = await thread.ask(job.request);
      addCounts(traffic, counts.traffic);
      addCounts(work, counts.work);
      job.answered.resolve(value);
    } catch (error) {
      job.answered.reject(thread.isUsable ? error : createInterrupted());
    } finally {
      clearTimeout(deadline);
      clearTimeout(grace);
    }
    if (thread.isUsable) this.#idle.push(thread);
    // A lane keeps its place until its thread is free or gone, so that no caller collects threads that end slowly.
    else await thread.exited;
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
