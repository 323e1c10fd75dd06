/** The first page: the owner's sources, how much each holds, and when it last got something. */
import {
  type ConnectionSummary,
  type ImportRun,
  isImportRunning,
  listConnections,
  listImportRuns,
  type RecordHistogram,
  renameConnection,
} from "@rungs/server";
import type { StreamSize } from "@rungs/store";
import type { OwnerRequest } from "../request/console-request.ts";
import { type Act, redirectTo, type Show } from "../request/route.ts";
import { renderCsrfField, renderHiddenFields } from "../ui/form.ts";
import { type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { renderPlot } from "../ui/plot.ts";
import { renderInitials } from "../ui/record/person.ts";
import { renderTour } from "../ui/tour.ts";
import { formatCount, formatNumber, formatSize, renderDay, renderTime } from "../ui/words.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const GROWTH_DAYS = 30;

/** Lists the sources. */
export const showConnections: Show = async (request) => {
  const { context } = request;
  const connections = await listConnections(context);
  if (connections.length === 0) return { title: "Your data", body: renderEmpty() };
  const sizes = await context.store.measureStreams(context.owner_id);
  const runs = await listImportRuns(context);
  const cards: Html[] = [];
  for (const connection of connections) {
    const timeline = await context.readTimeline(connection);
    cards.push(renderConnection(request, { connection, timeline, sizes, runs }));
  }
  const total = connections
    .flatMap(({ streams }) => streams)
    .reduce((sum, each) => sum + each.record_count, 0);
  const body = html`<p class="lead">${formatCount(total, "record")} in ${formatCount(connections.length, "connection")}.</p>
<form action="/console/search" class="find" role="search"><label class="hidden" for="q">Search everything</label>
<input id="q" name="q" type="search" placeholder="Search everything" required><button class="main">Search</button></form>
${renderTour(connections)}
<div class="cards">${cards}</div>`;
  return { title: "Your data", body };
};

/** Gives a source another name. */
export const renameByForm: Act = async ({ context }, form) => {
  await renameConnection(context, form.get("connection_id") ?? "", form.get("name") ?? "");
  return redirectTo("/console");
};

interface Known {
  readonly connection: ConnectionSummary;
  readonly timeline: RecordHistogram | undefined;
  readonly sizes: readonly StreamSize[];
  readonly runs: readonly ImportRun[];
}

function renderConnection(request: OwnerRequest, known: Known): Html {
  const { connection, timeline } = known;
  const { connection_id, display_name, streams } = connection;
  const filled = streams.filter(({ record_count }) => record_count > 0);
  const empty = streams.filter(({ record_count }) => record_count === 0);
  return html`<article class="card source"><header>${renderInitials(display_name)}<div><h2 dir="auto">${display_name}</h2>
<p class="small">${describeSize(known)}</p></div></header>
${timeline ? renderPlot(timeline, display_name) : ""}
<ul class="streams">${filled.map(
    ({ stream, record_count, time_range }) => html`<li>
<a href="/console/streams/${connection_id}/${stream}">${stream}</a> <span class="number">${formatNumber(record_count)}</span>
<span class="small">${time_range ? html`${renderDay(time_range.first_ms)} – ${renderDay(time_range.last_ms)}` : "no times"}</span></li>`,
  )}</ul>
${when(empty.length > 0, () => html`<p class="small">Empty: ${empty.map(({ stream }) => stream).join(", ")}</p>`)}
<p class="small">${describeLastImport(known, request.context.now())}</p>
<p class="source-links"><a href="${withQuery("/console/search", { connection_id })}">Search<span class="hidden"> in ${display_name}</span></a>
<a href="${withQuery("/console/delete", { what: connection_id })}">Delete<span class="hidden"> ${display_name}</span>…</a></p>
<details class="small"><summary>Rename<span class="hidden"> ${display_name}</span></summary>
<form method="post" action="/console/rename" class="find">${renderCsrfField(request)}${renderHiddenFields({ connection_id })}
<label>New name <input name="name" maxlength="200" required value="${display_name}" autocomplete="off"></label><button>Rename</button></form>
<p class="small">Its id stays <code class="id">${connection_id}</code>.</p></details></article>`;
}

function describeSize({ connection, sizes }: Known): string {
  const { connection_id, streams } = connection;
  const records = streams.reduce((sum, each) => sum + each.record_count, 0);
  const own = sizes.filter((each) => each.connection_id === connection_id);
  const text = own.reduce((sum, each) => sum + each.text_bytes, 0);
  const files = own.reduce((sum, each) => sum + each.file_bytes, 0);
  const about = own.some(({ is_estimate }) => is_estimate) ? "about " : "";
  return [
    formatCount(records, "record"),
    `${about}${formatSize(text)} of text`,
    ...(files > 0 ? [`${formatSize(files)} of files`] : []),
  ].join(" · ");
}

/** The last import that brought something into the connection, and how much came lately. */
function describeLastImport({ connection, runs }: Known, now_ms: number): Html | string {
  const { connection_id } = connection;
  const own = runs.flatMap((run) =>
    run.imports.flatMap((imported) => (imported.connection_id === connection_id ? [{ run, imported }] : [])),
  );
  const [newest] = own;
  if (!newest) return "";
  const { run, imported } = newest;
  const recent = own.filter((each) => now_ms - each.run.started_at_ms < GROWTH_DAYS * DAY_MS);
  const grown = recent.reduce((sum, each) => sum + each.imported.added, 0);
  const state = isImportRunning(run) || run.state === "done" ? "" : `, ${run.state}`;
  const rejected = imported.rejected === 0 ? "" : `, ${formatNumber(imported.rejected)} rejected`;
  return html`<a href="/console/import/${run.import_id}">Last import</a> ${renderTime(run.started_at_ms)}${state}: ${formatNumber(imported.added)} added${rejected}${recent.length > 1 && grown > 0 ? ` · ${formatNumber(grown)} new in ${GROWTH_DAYS} days` : ""}`;
}

function renderEmpty(): Html {
  return html`<p class="lead">There is no data yet.</p>
<div class="cards"><section class="card"><h2>1. Import data</h2>
<p>Upload an export of your mail, chats or documents. It stays on this machine.</p><p><a href="/console/import">Import a file</a></p></section>
<section class="card"><h2>2. Connect an agent</h2>
<p>Tell your agent where your data is. You decide what it may read.</p><p><a href="/console/connect">Connect an agent</a></p></section></div>`;
}
