/** Syncs: what is read again and again, how the last runs went, and a form that adds a mailbox. */
import { ApiError, describeRefusal } from "@rungs/contract";
import type { SyncSummary } from "@rungs/sources";
import type { OwnerRequest } from "../request/console-request.ts";
import { type Act, redirectTo, type Show } from "../request/route.ts";
import { renderCsrfField, renderPostButton } from "../ui/form.ts";
import { type Html, html, when } from "../ui/html.ts";
import { renderSyncRow, renderSyncRunItem } from "./render.ts";
import type { SyncDesk } from "./sync-desk.ts";

/** How often a page with a run in progress reloads itself. */
const REFRESH_SECONDS = 2;

/** The syncs, and the form that adds a mailbox. */
export const showSyncs: Show = async (request) => {
  const { syncs: desk } = request.context;
  if (!desk)
    return {
      title: "Sync",
      body: html`<p class="lead">This server runs no syncs. Add one with <code>npx rungs sync add</code>.</p>`,
    };
  return renderOverview(request, await desk.list());
};

/** Adds a mailbox. The password is tried, sealed and never shown again; a refusal says what was wrong. */
export const addMailboxByForm: Act = async (request, form) => {
  const desk = requireDesk(request);
  const port = form.get("port") ?? "";
  const settings = {
    host: form.get("host")?.trim() ?? "",
    user: form.get("user")?.trim() ?? "",
    security: form.get("security") ?? "tls",
    ...(port === "" ? {} : { port: Number(port) }),
  };
  try {
    const sync_id = await desk.addMailbox(settings, form.get("password") ?? "");
    return redirectTo(`/console/sync/${encodeURIComponent(sync_id)}`);
  } catch (error) {
    const { status, body } = describeRefusal(error);
    const { message, next } = body.error;
    const notice = html`<p class="notice" role="alert">${message} ${next}</p>`;
    // A gateway's status would make proxies replace the page.
    return {
      ...renderOverview(request, await desk.list(), { notice, settings }),
      status: status < 500 ? 400 : 422,
    };
  }
};

/** One sync with its last runs; reloads itself while one is in progress. */
export const showSync: Show = async (request) => {
  const desk = requireDesk(request);
  const sync = await requireSync(desk, request.param("sync_id"));
  const runs = await desk.listRuns(sync.sync_id);
  const path = `/console/sync/${encodeURIComponent(sync.sync_id)}`;
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
<p class="small">Removing forgets the password and the log. The records stay in the connection ${sync.connection_id}.</p>
<h2>Runs</h2>
${
  runs.length === 0
    ? html`<p>It has not run yet.</p>`
    : html`<ul class="rows">${runs.map(renderSyncRunItem)}</ul>`
}
<p><a href="/console/sync">All syncs</a></p>`,
    refresh: isActive ? { seconds: REFRESH_SECONDS } : undefined,
  };
};

/** Makes a sync due now. */
export const runSyncByForm: Act = async (request) => {
  const sync_id = request.param("sync_id");
  await requireDesk(request).run(sync_id);
  return redirectTo(`/console/sync/${encodeURIComponent(sync_id)}`);
};

/** Pauses or resumes a sync. */
export const pauseSyncByForm: Act = async (request, form) => {
  const sync_id = request.param("sync_id");
  await requireDesk(request).pause(sync_id, form.get("paused") === "yes");
  return redirectTo(`/console/sync/${encodeURIComponent(sync_id)}`);
};

/** Forgets a sync. */
export const removeSyncByForm: Act = async (request) => {
  await requireDesk(request).remove(request.param("sync_id"));
  return redirectTo("/console/sync");
};

interface Attempt {
  readonly notice: Html;
  readonly settings: { readonly host: string; readonly user: string };
}

function renderOverview(request: OwnerRequest, syncs: readonly SyncSummary[], attempt?: Attempt) {
  return {
    title: "Sync",
    body: html`<p class="lead">A mailbox that is added here keeps itself up to date. Rungs only reads it.</p>
${attempt?.notice ?? ""}
${when(syncs.length > 0, () => html`<ul class="rows">${syncs.map(renderSyncRow)}</ul>`)}
<h2>Add a mailbox</h2>
<form method="post" action="/console/sync" class="card">${renderCsrfField(request)}
<label for="host">Mail server (IMAP)</label><input id="host" name="host" required maxlength="253" autocomplete="off" placeholder="imap.example.org" value="${attempt?.settings.host ?? ""}">
<label for="port">Port <span class="small">(optional)</span></label><input id="port" name="port" inputmode="numeric" pattern="[0-9]*" maxlength="5" autocomplete="off">
<label for="security">Encryption</label><select id="security" name="security"><option value="tls">TLS</option><option value="starttls">STARTTLS</option><option value="none">None (only a server on this machine)</option></select>
<label for="user">User name</label><input id="user" name="user" required maxlength="512" autocomplete="off" value="${attempt?.settings.user ?? ""}">
<label for="password">Password, or app password</label><input id="password" name="password" type="password" required maxlength="1024" autocomplete="off">
<button class="main">Add the mailbox</button></form>
<p class="small">The password is stored sealed, with a key that is in no backup.</p>`,
  };
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
