import type { SyncRun, SyncSummary } from "@rungs/sources";
import { type Html, html, when } from "../ui/html.ts";
import { renderTime } from "../ui/words.ts";

/** Renders a sync: the account, every host that it connects to, and its state. */
export function renderSyncRow(sync: SyncSummary): Html {
  const { sync_id, account, hosts } = sync;
  return html`<li><a href="/console/sync/${encodeURIComponent(sync_id)}">${account}</a>
<span class="small">${hosts.length === 0 ? "on the disk of the server" : `connects to ${hosts.join(", ")}`}</span><br>${describeSyncState(sync)}</li>`;
}

/** Describes how the last run went, and when the next one is. */
export function describeSyncState({ is_paused, last_run, due_ms }: SyncSummary): Html {
  const state = is_paused ? "Paused" : last_run ? describeRun(last_run) : "Not run yet";
  return html`${when(last_run, ({ started_ms }) => html`${renderTime(started_ms)}: `)}${state}
${when(!is_paused && due_ms > 0, () => html`<span class="small">next: ${renderTime(due_ms)}</span>`)}`;
}

/** Renders a run: when, what changed, what went wrong. `command_options` is what the command that answers a question needs. */
export function renderSyncRunItem(run: SyncRun, command_options: string): Html {
  const { rejections, notes, question } = run;
  return html`<li>${renderTime(run.started_ms)}: ${describeRun(run)}
${when(run.state === "running" && question !== undefined, () => html`<br><strong>It asks: ${question?.message ?? ""}</strong> Answer with <code>npx rungs sync answer ${run.sync_id}${command_options}</code>.`)}
${notes.map((note) => html`<br><span class="small">${note}</span>`)}
${rejections.map(({ place, message }) => html`<br><span class="small">${place}: ${message}</span>`)}</li>`;
}

function describeRun({ state, added, changed, deleted, rejected, failure, progress }: SyncRun): string {
  const counts = `${added} added, ${changed} changed, ${deleted} deleted, ${rejected} rejected`;
  if (failure) return `Failed: ${failure.message} ${failure.next} (${counts})`;
  if (state !== "running") return `${state === "done" ? "Done" : "Stopped"}: ${counts}`;
  const where =
    progress?.message ?? (progress && `${progress.collection}: ${progress.done} of ${progress.total}`);
  return `Running${where === undefined ? "" : `, ${where}`}: ${counts}`;
}
