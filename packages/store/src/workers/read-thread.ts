import { Worker } from "node:worker_threads";
import type { Embedder, SlowQueryLog } from "../store.ts";
import type { LightPlace } from "./light-reads.ts";
import {
  type FromWorker,
  packError,
  type ReadCounts,
  type ReadTimes,
  type ServerKind,
  type ToWorker,
  unpackError,
  type WorkerStart,
} from "./messages.ts";

/** The program of a thread, as source or built, as this file is. */
const PROGRAM = new URL(`./read-worker.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);
/** Node 22 warns in each thread that `node:sqlite` is experimental. */
const QUIET = ["--disable-warning=ExperimentalWarning"];
/** A thread takes few of a process's flags, and refuses the others: it needs those that say how packages resolve. */
const FLAGS = [...process.execArgv.filter((flag) => flag.startsWith("--conditions=")), ...QUIET];

/** The answer to a read, and its cost. */
interface ReadAnswer {
  readonly value: unknown;
  readonly server: ServerKind;
  readonly counts: ReadCounts;
}

/** A worker thread that runs one read at a time. */
export class ReadThread {
  /** Says whether its read is light. */
  readonly place: LightPlace;
  readonly #worker: Worker;
  readonly #flag = new Int32Array(new SharedArrayBuffer(4));
  readonly #embedder: Embedder | null;
  /** The times of the last read; undefined when it did not end. */
  times: ReadTimes | undefined;
  #report: SlowQueryLog["report"] | undefined;
  #asked: PromiseWithResolvers<ReadAnswer> | undefined;
  /** Whether it takes another read: false once it ends or has crashed. */
  isUsable = true;
  /** Resolves when the thread has loaded its program, and waits for its first read. */
  readonly ready: Promise<void>;
  readonly #loaded = Promise.withResolvers<void>();
  /** Resolves when the thread is gone. */
  readonly exited: Promise<void>;

  constructor(
    start: Omit<WorkerStart, "flag" | "model" | "place">,
    embedder: Embedder | null,
    place: LightPlace,
  ) {
    this.#embedder = embedder;
    this.place = place;
    const { id, dimensions, baseline } = embedder ?? {};
    const model = embedder && ({ id, dimensions, baseline } as WorkerStart["model"]);
    const workerData: WorkerStart = { ...start, model, flag: this.#flag, place: place.shared };
    this.#worker = new Worker(PROGRAM, { workerData, execArgv: FLAGS });
    this.#worker.on("message", (message: FromWorker) => this.#receive(message));
    // A crash is followed by `exit`; without a listener, the error would crash this process.
    this.#worker.on("error", () => undefined);
    this.exited = new Promise((resolve) => {
      this.#worker.once("exit", () => {
        this.isUsable = false;
        this.#asked?.reject(new Error("The thread ended."));
        resolve();
      });
    });
    this.ready = this.#loaded.promise;
  }

  /** Runs a read; fails if the thread ends before it answers. */
  async ask(
    request: Extract<ToWorker, { kind: "read" }>,
    report?: SlowQueryLog["report"],
  ): Promise<ReadAnswer> {
    this.#report = report;
    const asked = Promise.withResolvers<ReadAnswer>();
    this.#asked = asked;
    this.times = undefined;
    Atomics.store(this.#flag, 0, 0);
    this.place.isLight = request.light_ms > 0;
    this.#worker.ref();
    this.#send(request);
    try {
      return await asked.promise;
    } finally {
      this.#asked = undefined;
      this.place.isLight = false;
      this.#worker.unref();
    }
  }

  /** Tells the thread that nobody waits for its read: by the flag while it computes, by a message while it waits. */
  cancel(): void {
    Atomics.store(this.#flag, 0, 1);
    Atomics.notify(this.#flag, 0);
    this.#send({ kind: "cancel" });
  }

  /** Breaks its connections to an unresponsive server; its read fails, or continues at the primary. */
  drop(server: ServerKind): void {
    this.#send({ kind: "drop", server });
  }

  /** Terminates the thread whatever it does; inside a statement, after it. */
  async end(): Promise<void> {
    this.isUsable = false;
    await this.#worker.terminate();
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromWorker): void {
    if (message.kind === "answer" || message.kind === "failed") this.times = message.times;
    switch (message.kind) {
      case "ready":
        // Unref it only now: so far, somebody waited for it.
        this.#worker.unref();
        this.#loaded.resolve();
        return;
      case "answer":
        this.#asked?.resolve(message);
        return;
      case "failed":
        this.#asked?.reject(unpackError(message.failure));
        return;
      case "slow":
        this.#report?.(message.query);
        return;
      case "embed":
        void this.#embed(message.texts);
    }
  }

  async #embed(texts: readonly string[]): Promise<void> {
    try {
      const vectors = (await this.#embedder?.embed(texts)) ?? [];
      this.#send({ kind: "embedded", vectors });
    } catch (error) {
      this.#send({ kind: "embed_failed", failure: packError(error) });
    }
  }
}
