/** The imports of an owner, running and past. Their progress is in the database, so that any process can show it and stop them. */
import { randomBytes } from "node:crypto";
import { describeRefusal } from "@rungs/contract";
import type { OwnerContext } from "./owner-context.ts";

const KIND = "import-run";
const STOP_KIND = "import-stop";
const DAY_MS = 86_400_000;
const KEPT_MS = 400 * DAY_MS;
const STOP_KEPT_MS = DAY_MS;
/** How often to save progress and look for a request to stop. */
const SAVE_INTERVAL_MS = 1000;
/** A run without a heartbeat for this long was interrupted: its process saves something every second. */
const SILENT_MS = 60_000;
const KEPT_RUNS = 500;
/** How many rejected items and left-out files are listed; the counts are exact. */
const KEPT_REASONS = 50;

/** One import. */
export interface ImportRun {
  readonly import_id: string;
  /** The path or the uploaded file. */
  readonly name: string;
  readonly origin: "command" | "upload";
  /** `interrupted`: its process ended without reporting an end; running the same import again resumes it. */
  readonly state: "receiving" | "running" | "done" | "stopped" | "failed" | "interrupted";
  readonly started_at_ms: number;
  readonly updated_at_ms: number;
  readonly progress: ImportRunProgress;
  readonly imports: readonly ImportedConnection[];
  /** The detected formats, and why. */
  readonly recognised?: readonly RecognisedFiles[] | undefined;
  readonly left_out_count: number;
  readonly left_out: readonly { readonly path: string; readonly reason: string }[];
  readonly failure?: { readonly message: string; readonly next: string } | undefined;
}

/** Files detected as one format. */
export interface RecognisedFiles {
  /** The format's name for people. */
  readonly label: string;
  readonly path: string;
  readonly file_count?: number | undefined;
  /** Why, such as `it begins with BEGIN:VCALENDAR`; absent if the owner chose the format. */
  readonly reason?: string | undefined;
}

/** The progress of an import. */
export interface ImportRunProgress {
  readonly read_bytes: number;
  /** 0 until it is known. */
  readonly total_bytes: number;
  readonly items: number;
  /** The file that is being read. */
  readonly path?: string | undefined;
}

/** What was imported into one connection. */
export interface ImportedConnection {
  readonly connection_id: string;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly rejected: number;
  /** The first rejected items, each with its place and reason. */
  readonly rejections: readonly { readonly place: string; readonly message: string }[];
}

/** How an import ended. */
export interface ImportRunEnd {
  readonly state: "done" | "stopped";
  readonly imports: readonly ImportedConnection[];
  readonly recognised?: ImportRun["recognised"];
  readonly left_out?: ImportRun["left_out"];
}

/** Records one import while it runs. */
export interface ImportRecorder {
  readonly import_id: string;
  /** Aborted when the owner asks to stop the import. */
  readonly stop: AbortSignal;
  /** Saved within a second. */
  report(progress: ImportRunProgress, state?: "receiving" | "running"): void;
  end(end: ImportRunEnd): Promise<void>;
  fail(error: unknown): Promise<void>;
}

/** Starts recording an import. */
export async function recordImport(
  owner: OwnerContext,
  about: Pick<ImportRun, "name" | "origin">,
): Promise<ImportRecorder> {
  const started_at_ms = owner.now();
  // Ids sort by time.
  const import_id = `${started_at_ms.toString(36).padStart(9, "0")}-${randomBytes(9).toString("base64url")}`;
  let run: ImportRun = {
    import_id,
    ...about,
    state: "running",
    started_at_ms,
    updated_at_ms: started_at_ms,
    progress: { read_bytes: 0, total_bytes: 0, items: 0 },
    imports: [],
    left_out_count: 0,
    left_out: [],
  };
  const stop = new AbortController();
  let writing = saveRun(owner, run);
  const save = (): Promise<void> => {
    run = { ...run, updated_at_ms: owner.now() };
    const saved = run;
    // A failure to note progress does not fail the import.
    writing = writing.then(() => saveRun(owner, saved)).catch(() => undefined);
    return writing;
  };
  await writing;
  await forgetOldRuns(owner);
  const timer = setInterval(async () => {
    await save();
    const request = await owner.store.getState(owner.owner_id, STOP_KIND, import_id).catch(() => undefined);
    if (request) stop.abort();
  }, SAVE_INTERVAL_MS).unref();
  const finish = async (change: Partial<ImportRun>): Promise<void> => {
    clearInterval(timer);
    run = { ...run, ...change };
    await save();
    await owner.store.deleteState(owner.owner_id, STOP_KIND, import_id);
  };
  return {
    import_id,
    stop: stop.signal,
    report(progress, state = "running") {
      run = { ...run, progress: { ...progress }, state };
    },
    end: ({ state, imports, recognised, left_out = [] }) =>
      finish({
        state,
        recognised: recognised?.slice(0, KEPT_REASONS),
        imports: imports.map(capRejections),
        left_out_count: left_out.length,
        left_out: left_out.slice(0, KEPT_REASONS),
      }),
    fail(error) {
      const { message, next } = describeRefusal(error).body.error;
      return finish({ state: "failed", failure: { message, next } });
    },
  };
}

/** Lists the imports, newest first. */
export async function listImportRuns(owner: OwnerContext): Promise<ImportRun[]> {
  const states = await owner.store.listState(owner.owner_id, KIND);
  // Only `saveRun` writes under this kind.
  return states.map(({ value }) => markInterrupted(value as ImportRun, owner.now())).reverse();
}

/** Finds an import by its id. */
export async function findImportRun(owner: OwnerContext, id: string): Promise<ImportRun | undefined> {
  const state = await owner.store.getState(owner.owner_id, KIND, id);
  return state && markInterrupted(state.value as ImportRun, owner.now());
}

/** Asks a running import to stop after its batch. Its process sees that within about a second. */
export async function stopImport({ store, owner_id, now }: OwnerContext, id: string): Promise<void> {
  await store.putState(owner_id, { kind: STOP_KIND, id, value: true, expires_at_ms: now() + STOP_KEPT_MS });
}

/** Whether an import may still change. */
export function isImportRunning({ state }: ImportRun): boolean {
  return state === "running" || state === "receiving";
}

function markInterrupted(run: ImportRun, now_ms: number): ImportRun {
  const isSilent = isImportRunning(run) && now_ms - run.updated_at_ms > SILENT_MS;
  return isSilent ? { ...run, state: "interrupted" } : run;
}

function capRejections(imported: ImportedConnection): ImportedConnection {
  const { connection_id, added, changed, unchanged, rejected } = imported;
  const rejections = imported.rejections
    .slice(0, KEPT_REASONS)
    .map(({ place, message }) => ({ place, message }));
  return { connection_id, added, changed, unchanged, rejected, rejections };
}

function saveRun({ store, owner_id, now }: OwnerContext, run: ImportRun): Promise<void> {
  const expires_at_ms = now() + KEPT_MS;
  return store.putState(owner_id, { kind: KIND, id: run.import_id, value: run, expires_at_ms });
}

async function forgetOldRuns({ store, owner_id }: OwnerContext): Promise<void> {
  const states = await store.listState(owner_id, KIND);
  for (const { id } of states.slice(0, -KEPT_RUNS)) await store.deleteState(owner_id, KIND, id);
}
