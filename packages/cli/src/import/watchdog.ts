/**
 * Ends this process when one item takes too long, from a thread that a parser cannot block. The parent process,
 * `bin/rungs.js`, then restarts it with a note of where it was stuck, and the import continues after that file.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Worker } from "node:worker_threads";
import { FILE_OPENED, type Files, withoutFile } from "@rungs/importers";

/** Where an import was stuck: an entry of `RUNGS_IMPORT_STUCK`. */
export interface StuckPlace {
  /** Whether the file was being inspected or read. */
  readonly stage: "plan" | "read";
  readonly plan: WatchedPlan;
  /** The file in it that was being read. */
  readonly file: string;
  /** The last checkpoint before, if any, and how many items came after it. */
  readonly checkpoint?: string | undefined;
  readonly after: number;
  readonly seconds: number;
}

/** What identifies a plan across runs. */
export interface WatchedPlan {
  /** The path as given, and the folder or archive inside it. */
  readonly path: string;
  readonly format: string;
}

/** Watches one item after another. */
export interface Watchdog {
  /** Reads the next item under watch. */
  watch<T>(next: () => Promise<T>): Promise<T>;
  /** Notes an item that was read. */
  pass(checkpoint: string | undefined): void;
  close(): Promise<void>;
}

/** How long reading one item may take. Extracting the text of a document has its own limit, which is shorter. */
const ITEM_SECONDS = 120;
const LOOK_EVERY_MS = 250;
const NOTE_BYTES = 64 * 1024;

/** Indexes of the shared numbers. */
const [WATCHING, BEAT, NOTE_LENGTH] = [0, 1, 2];

/** Counts ticks rather than time: a machine that slept was not stuck. */
const WATCH = `const { workerData: { numbers, note, file, seconds, every_ms } } = require("node:worker_threads");
const { writeFileSync } = require("node:fs");
let [beat, looks] = [-1, 0];
setInterval(() => {
  looks += 1;
  if (numbers[${BEAT}] !== beat || numbers[${WATCHING}] === 0) [beat, looks] = [numbers[${BEAT}], 0];
  if (looks * every_ms < seconds * 1000) return;
  writeFileSync(file, Buffer.from(note).subarray(0, numbers[${NOTE_LENGTH}]));
  process.kill(process.pid, "SIGKILL");
}, every_ms);`;

/** Creates the watchdog of a plan, if the process was started by one that can start it again. */
export function createWatchdog(
  stage: StuckPlace["stage"],
  plan: WatchedPlan,
  files: Files,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Watchdog | undefined {
  const file = env.RUNGS_IMPORT_STUCK_FILE;
  if (file === undefined) return undefined;
  const seconds = Number(env.RUNGS_IMPORT_ITEM_SECONDS) || ITEM_SECONDS;
  const numbers = new Int32Array(new SharedArrayBuffer(12));
  const note = Buffer.from(new SharedArrayBuffer(NOTE_BYTES));
  const place: Writable<StuckPlace> = { stage, plan, file: "", after: 0, seconds };
  const write = (): void => {
    numbers[NOTE_LENGTH] = note.write(JSON.stringify(place));
    beat();
  };
  const beat = (): void => {
    numbers[BEAT] = (numbers[BEAT]! + 1) | 0;
  };
  const onFile = (): void => {
    place.file = files.progress.path ?? "";
    write();
  };
  subscribe(FILE_OPENED, onFile);
  const alive = setInterval(beat, LOOK_EVERY_MS).unref();
  const workerData = { numbers, note: note.buffer, file, seconds, every_ms: LOOK_EVERY_MS };
  const thread = new Worker(WATCH, { eval: true, workerData });
  thread.unref();
  write();
  return {
    async watch(next) {
      numbers[WATCHING] = 1;
      try {
        return await next();
      } finally {
        numbers[WATCHING] = 0;
      }
    },
    pass(checkpoint) {
      place.after = checkpoint === undefined ? place.after + 1 : 0;
      place.checkpoint = checkpoint ?? place.checkpoint;
      write();
    },
    async close() {
      unsubscribe(FILE_OPENED, onFile);
      clearInterval(alive);
      await thread.terminate();
    },
  };
}

type Writable<T> = { -readonly [key in keyof T]: T[key] };

/** The places of a plan where earlier runs of this import were stuck. */
export function listStuck(
  stage: StuckPlace["stage"],
  { path, format }: WatchedPlan,
  env: Readonly<Record<string, string | undefined>> = process.env,
): StuckPlace[] {
  const all: StuckPlace[] = JSON.parse(env.RUNGS_IMPORT_STUCK ?? "[]");
  return all.filter(
    ({ plan, ...place }) => place.stage === stage && plan.path === path && plan.format === format,
  );
}

/** Drops the files that could not be inspected in time, and reports them. */
export function dropStuck(plan: WatchedPlan, files: Files): Files {
  return listStuck("plan", plan).reduce((rest, { file, seconds }) => {
    const reason = `Reading it took longer than ${seconds} seconds. It was left out.`;
    return { ...withoutFile(rest, file), refused: [...rest.refused, { path: file, reason }] };
  }, files);
}
