/** One run of a sync, as the log has it. */
import type { QuestionField } from "../live-source.ts";
import type { SyncOwner } from "./sync-owner.ts";

/** A question to the owner that a run waits for. */
export interface SyncQuestion {
  readonly question_id: string;
  readonly message: string;
  readonly fields: readonly QuestionField[];
  readonly expires_ms: number;
}

/** A run; counts are of records. */
export interface SyncRun {
  readonly sync_id: string;
  readonly started_ms: number;
  readonly updated_ms: number;
  /** `stopped`: the owner paused it, or the program ended; `interrupted`: its process ended without reporting an end. */
  readonly state: "running" | "done" | "failed" | "stopped" | "interrupted";
  readonly added: number;
  readonly changed: number;
  readonly deleted: number;
  readonly unchanged: number;
  readonly rejected: number;
  /** The first rejected items, each with its place and reason. */
  readonly rejections: readonly { readonly place: string; readonly message: string }[];
  readonly notes: readonly string[];
  readonly failure?: { readonly code: string; readonly message: string; readonly next: string } | undefined;
  readonly progress?:
    | {
        readonly collection: string;
        readonly done: number;
        readonly total: number;
        readonly message?: string | undefined;
      }
    | undefined;
  /** The pending question of the run; `answerSync` answers it. */
  readonly question?: SyncQuestion | undefined;
  /** When it is retried. */
  readonly next_ms?: number | undefined;
}

/** A run without a heartbeat for this long was interrupted: its process saves something every second. */
const SILENT_MS = 60_000;

/** The last runs of a sync, newest first. */
export async function listRuns(owner: SyncOwner, sync_id: string, limit = 50): Promise<SyncRun[]> {
  const rows = await owner.store.listSyncRuns(owner.owner_id, sync_id, limit);
  // Only `saveRun` writes them.
  return rows.map(({ body }) => markSilent(body as SyncRun, owner.now()));
}

/** Writes a run into the log. */
export function saveRun(owner: SyncOwner, run: SyncRun): Promise<void> {
  const { sync_id, started_ms } = run;
  return owner.store.putSyncRun(owner.owner_id, { sync_id, started_ms, body: run });
}

/** A new run in the log. */
export function startRun(sync_id: string, now_ms: number): SyncRun {
  const counts = { added: 0, changed: 0, deleted: 0, unchanged: 0, rejected: 0 };
  return {
    sync_id,
    started_ms: now_ms,
    updated_ms: now_ms,
    state: "running",
    ...counts,
    rejections: [],
    notes: [],
  };
}

function markSilent(run: SyncRun, now_ms: number): SyncRun {
  const isSilent = run.state === "running" && now_ms - run.updated_ms > SILENT_MS;
  return isSilent ? { ...run, state: "interrupted" } : run;
}
