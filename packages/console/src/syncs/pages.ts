/** Syncs: what is read again and again, how the last runs went, and the forms that add sources. */
import { ApiError, describeRefusal } from "@rungs/contract";
import { requireAccount, runsServer } from "@rungs/server";
import { readsThisMachine, type SyncSummary } from "@rungs/sources";
import type { OwnerRequest } from "../request/console-request.ts";
import { type Act, redirectTo, type Show } from "../request/route.ts";
import { renderPostButton } from "../ui/form.ts";
import { html, when } from "../ui/html.ts";
import { renderSyncRow, renderSyncRunItem } from "./render.ts";
import { type Adder, type Attempt, renderSourceForm, SYNC_PATH } from "./source-form.ts";
import { findSourceKind, listTyped, readSourceForm, type SourceKind } from "./source-kinds.ts";
import type { SyncDesk } from "./sync-desk.ts";

/** How often a page with a run in progress reloads itself. */
const REFRESH_SECONDS = 2;

/** The syncs, and the form of the kind of source that the address names. */
export const showSyncs: Show = async (request) => {
  if (!request.context.syncs)
    return {
      title: "Sync",
      body: html`<p class="lead">This server runs no syncs.</p>`,
    };
  return renderOverview(request, findSourceKind(request.query("kind")));
};

/** Adds a source. A password is tried, sealed and never shown again; a refusal says what was wrong and keeps the rest. */
export const addSourceByForm: Act = async (request, form) => {
  const desk = requireDesk(request);
  const source = findSourceKind(form.get("kind"));
  try {
    const { is_admin, runs_server } = await readAdder(request);
    // Otherwise the server would connect to any host, including those in its own network.
    if (!is_admin) throw new ApiError("administrator_required");
    const order = readSourceForm(source, form);
    // Check before touching this machine's files, which may be another owner's.
    if (!runs_server && readsThisMachine(order))
      throw new ApiError("administrator_required", {
        message: "Only whoever runs this server may name a folder or an address of its machine.",
        next: "Upload the files as an import, or ask them to add the source for you.",
      });
    const sync_id = await desk.add(order);
    return redirectTo(`${SYNC_PATH}/${encodeURIComponent(sync_id)}`);
  } catch (error) {
    const { status, body } = describeRefusal(error);
    const { message, next, param } = body.error;
    const attempt = { notice: `${message} ${next}`, param, typed: listTyped(source, form) };
    // A 502 or 504 would make proxies replace the page, and a 401 would make the browser prompt for a password.
    const shown = status === 403 ? status : status < 500 ? 400 : 422;
    return { ...(await renderOverview(request, source, attempt)), status: shown };
  }
};

/** One sync with its last runs; reloads itself while one is in progress. */
export const showSync: Show = async (request) => {
  const desk = requireDesk(request);
  const sync = await requireSync(desk, request.param("sync_id"));
  const runs = await desk.listRuns(sync.sync_id);
  const path = `${SYNC_PATH}/${encodeURIComponent(sync.sync_id)}`;
  const isActive = runs[0]?.state === "running" || (runs.length === 0 && !sync.is_paused);
  return {
    title: `Sync of ${sync.account}`,
    body: html`<ul class="rows">${renderSyncRow(sync)}</ul>
<div class="actions">${renderPostButton(request, `${path}/run`, "Run now")}
${renderPostButton(request, `${path}/pause`, sync.is_paused ? "Resume" : "Pause", {
  look: "quiet",
  fields: { paused: sync.is_paused ? "no" : "yes" },
})}
${renderPostButton(request, `${path}/remove`, "Remove", { look: "danger" })}</div>
<p class="small">Removing forgets the sync, its log and its password. The records stay in the connection ${sync.connection_id}.</p>
<h2>Runs</h2>
${
  runs.length === 0
    ? html`<p>It has not run yet.</p>`
    : html`<ul class="rows">${runs.map((run) => renderSyncRunItem(run, request.context.command_options))}</ul>`
}
<p><a href="${SYNC_PATH}">All syncs</a></p>`,
    refresh: isActive ? { seconds: REFRESH_SECONDS } : undefined,
  };
};

/** Makes a sync due now. */
export const runSyncByForm: Act = async (request) => {
  const sync_id = request.param("sync_id");
  await requireDesk(request).run(sync_id);
  return redirectTo(`${SYNC_PATH}/${encodeURIComponent(sync_id)}`);
};

/** Pauses or resumes a sync. */
export const pauseSyncByForm: Act = async (request, form) => {
  const sync_id = request.param("sync_id");
  await requireDesk(request).pause(sync_id, form.get("paused") === "yes");
  return redirectTo(`${SYNC_PATH}/${encodeURIComponent(sync_id)}`);
};

/** Forgets a sync. */
export const removeSyncByForm: Act = async (request) => {
  await requireDesk(request).remove(request.param("sync_id"));
  return redirectTo(SYNC_PATH);
};

async function renderOverview(request: OwnerRequest, source: SourceKind, attempt?: Attempt) {
  const [syncs, adder] = await Promise.all([requireDesk(request).list(), readAdder(request)]);
  return {
    title: "Sync",
    body: html`<p class="lead">Rungs reads these sources again and again, and changes nothing there.</p>
${when(syncs.length > 0, () => html`<ul class="rows">${syncs.map(renderSyncRow)}</ul>`)}
${renderSourceForm(request, source, { adder, attempt })}`,
  };
}

async function readAdder({ context }: OwnerRequest): Promise<Adder> {
  const [{ is_admin }, runs_server] = await Promise.all([
    requireAccount(context, context.owner_id),
    runsServer(context),
  ]);
  return { is_admin, runs_server };
}

function requireDesk({ context }: OwnerRequest): SyncDesk {
  if (context.syncs) return context.syncs;
  throw new ApiError("not_implemented");
}

async function requireSync(desk: SyncDesk, sync_id: string): Promise<SyncSummary> {
  const sync = (await desk.list()).find((each) => each.sync_id === sync_id);
  if (sync) return sync;
  throw new ApiError("not_found", { message: "There is no such sync.", next: "Look at all syncs." });
}
