/** Logs a run as it goes. */

import type { SourceTask } from "../live-source.ts";
import type { ChangeTarget } from "./store-changes.ts";
import type { SyncOwner } from "./sync-owner.ts";
import { listRuns, type SyncRun, saveRun, startRun } from "./sync-run.ts";

const SAVE_MS = 1_000;
const KEPT_REJECTIONS = 20;
const KEPT_NOTES = 20;
/** From this many changed records on, compacting the index pays off. */
const LARGE_RUN = 1_000;

/** Records one run. */
export interface RunRecorder {
  readonly count: ChangeTarget["onBatch"];
  readonly report: SourceTask["report"];
  readonly note: SourceTask["note"];
  /** Shows a question to the owner; undefined removes it. */
  readonly showQuestion: (question: SyncRun["question"]) => Promise<void>;
  isLarge(): boolean;
  end(end: Pick<SyncRun, "state" | "failure" | "next_ms">): Promise<SyncRun>;
}

/** Starts recording a run. Marks earlier runs that never ended as interrupted. */
export async function recordRun(
  owner: SyncOwner,
  sync_id: string,
  onProgress: ((run: SyncRun) => void) | undefined,
): Promise<RunRecorder> {
  for (const earlier of await listRuns(owner, sync_id, 3)) {
    if (earlier.state === "running" || earlier.state === "interrupted")
      await saveRun(owner, { ...earlier, state: "interrupted" });
  }
  let run = startRun(sync_id, owner.now());
  await saveRun(owner, run);
  let saving = Promise.resolve();
  const save = (): Promise<void> => {
    run = { ...run, updated_ms: owner.now() };
    const saved = run;
    onProgress?.(saved);
    // A failure to note progress does not fail the run.
    saving = saving.then(() => saveRun(owner, saved)).catch(() => undefined);
    return saving;
  };
  const timer = setInterval(() => void save(), SAVE_MS);
  return {
    count(outcomes, rejected) {
      const counts = { ...run };
      for (const { status } of outcomes) if (status !== "rejected") counts[status] += 1;
      counts.rejected += rejected.length;
      const rejections = [
        ...run.rejections,
        ...rejected.map(({ place, reason }) => ({ place, message: reason })),
      ].slice(0, KEPT_REJECTIONS);
      run = { ...counts, rejections };
    },
    report(progress) {
      run = { ...run, progress };
    },
    note(sentence) {
      if (run.notes.length < KEPT_NOTES) run = { ...run, notes: [...run.notes, sentence] };
    },
    showQuestion(question) {
      run = { ...run, question };
      return save();
    },
    isLarge: () => run.added + run.changed + run.deleted >= LARGE_RUN,
    async end(end) {
      clearInterval(timer);
      run = { ...run, ...end, question: undefined };
      await save();
      return run;
    },
  };
}
