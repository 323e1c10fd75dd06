/** Syncs and their runs as text. */
import type { SyncQuestion, SyncRun, SyncSummary } from "@rungs/sources";
import { renderTable } from "../command/table.ts";

/** Renders the syncs: what they read, from which hosts, when next, and how the last run went. */
export function renderSyncs(syncs: readonly SyncSummary[]): string {
  if (syncs.length === 0) return "Nothing is synced yet: rungs sync add adds a source.";
  const rows = syncs.map((sync) => [
    sync.sync_id,
    sync.kind,
    sync.account,
    sync.hosts.join(", "),
    sync.connection_id,
    renderState(sync),
    sync.is_paused ? "" : renderTime(sync.due_ms),
  ]);
  const table = renderTable(["ID", "KIND", "ACCOUNT", "CONNECTS TO", "CONNECTION", "LAST RUN", "NEXT"], rows);
  const failures = syncs.flatMap(({ sync_id, last_run }) =>
    last_run?.failure ? [`${sync_id}: ${last_run.failure.message} ${last_run.failure.next}`] : [],
  );
  const questions = syncs.flatMap(({ sync_id, last_run }) =>
    last_run?.state === "running" && last_run.question ? [renderQuestion(sync_id, last_run.question)] : [],
  );
  return [table, ...failures, ...questions].join("\n");
}

/** Renders runs, newest first. */
export function renderSyncRuns(runs: readonly SyncRun[]): string {
  if (runs.length === 0) return "It has not run yet.";
  const head = ["STARTED", "STATE", "ADDED", "CHANGED", "DELETED", "REJECTED", "NEXT", "PROBLEM"];
  const table = renderTable(
    head,
    runs.map((run) => [
      renderTime(run.started_ms),
      run.state,
      ...[run.added, run.changed, run.deleted, run.rejected].map(String),
      run.next_ms === undefined ? "" : renderTime(run.next_ms),
      run.failure?.message ?? "",
    ]),
  );
  const [last] = runs;
  const details = last
    ? [...last.notes, ...last.rejections.map(({ place, message }) => `${place}: ${message}`)]
    : [];
  return [table, ...details].join("\n");
}

/** What a run waits for, and how to answer it. */
function renderQuestion(sync_id: string, { message }: SyncQuestion): string {
  return `${sync_id} asks: ${message} Answer it with rungs sync answer ${sync_id}.`;
}

/** One line on how a run went. */
export function renderSyncRun({
  sync_id,
  state,
  added,
  changed,
  deleted,
  rejected,
  failure,
}: SyncRun): string {
  const counts = `${added} added, ${changed} changed, ${deleted} deleted, ${rejected} rejected`;
  return `${sync_id}: ${state}, ${counts}${failure ? `. ${failure.message} ${failure.next}` : ""}`;
}

/** The position of a run, for the progress line. */
export function renderSyncProgress({ sync_id, added, progress, question }: SyncRun): string {
  if (question) return renderQuestion(sync_id, question);
  if (!progress) return `${sync_id}: connecting`;
  const { collection, done, total, message } = progress;
  if (message !== undefined) return `${sync_id}: ${message}, ${added} records added`;
  return `${sync_id}: ${collection}, ${done} of ${total} messages, ${added} records added`;
}

function renderState({ is_paused, last_run }: SyncSummary): string {
  if (is_paused) return "paused";
  if (!last_run) return "never";
  const { state, added, changed, deleted } = last_run;
  return state === "done" ? `done: +${added} ~${changed} -${deleted}` : state;
}

function renderTime(ms: number): string {
  return ms === 0 ? "now" : new Date(ms).toISOString().slice(0, 16).replace("T", " ");
}
