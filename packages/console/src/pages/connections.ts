/** The first page: the owner's sources, the size of each, what it is good for, and when it last received something. */

import type { Role } from "@rungs/evidence";
import { type ImportRun, isImportRunning, listImportRuns, renameConnection } from "@rungs/server";
import type { SyncSummary } from "@rungs/sources";
import type { SourceFigures } from "../figures/source-figures.ts";
import { countRecords, describeSources, type SourceSummary, type StreamSummary } from "../figures/sources.ts";
import type { OwnerRequest } from "../request/console-request.ts";
import { type Act, redirectTo, type Show } from "../request/route.ts";
import { describeSyncState } from "../syncs/render.ts";
import { renderCsrfField, renderHiddenFields } from "../ui/form.ts";
import { type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { renderPlot } from "../ui/plot.ts";
import { renderInitials } from "../ui/record/person.ts";
import {
  formatCount,
  formatNumber,
  formatSize,
  joinWords,
  renderDays,
  renderTime,
  shorten,
} from "../ui/words.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const GROWTH_DAYS = 30;
/** Sources per page: more would be slow to load and long to scan. */
const CARDS = 9;
/** The part of the page that the script refreshes during a count. */
const SOURCES = "sources";
/** How often the page reloads itself until then. */
const REFRESH_SECONDS = 2;

/** Lists the sources. */
export const showConnections: Show = async (request) => {
  const { context, client } = request;
  const sources = await describeSources(client);
  if (sources.length === 0) return { title: "Your data", body: renderEmpty() };
  const place = choosePage(request, sources);
  const { figures, is_complete } = await context.readFigures(client, place.shown);
  const runs = await listImportRuns(context);
  const syncs = (await context.syncs?.list()) ?? [];
  const cards = place.shown.map((source) => {
    const { connection_id } = source;
    const own = syncs.filter((each) => each.connection_id === connection_id);
    return renderSource(request, { source, figures: figures.get(connection_id), runs, syncs: own });
  });
  const total = sources.reduce((sum, source) => sum + countRecords(source), 0);
  const body = html`<p class="lead">${formatCount(total, "record")} in ${formatCount(sources.length, "source")}.</p>
<form action="/console/search" class="find" role="search"><label class="hidden" for="q">Search everything</label>
<input id="q" name="q" type="search" placeholder="Search everything" required><button class="main">Search</button></form>
${renderTour(sources)}${renderFinder(place, sources)}
<div class="cards" id="${SOURCES}">${cards}</div>${renderPages(place)}`;
  const refresh = is_complete ? undefined : { seconds: REFRESH_SECONDS, part: SOURCES };
  return { title: "Your data", body, refresh };
};

/** The sources of one page of cards, of those that have a text in their name. */
interface CardPage {
  readonly find: string;
  readonly number: number;
  readonly count: number;
  readonly shown: readonly SourceSummary[];
}

function choosePage({ query }: OwnerRequest, sources: readonly SourceSummary[]): CardPage {
  const find = query("find")?.trim() ?? "";
  const found = sources.filter(({ display_name, connection_id }) =>
    `${display_name} ${connection_id}`.toLowerCase().includes(find.toLowerCase()),
  );
  const count = Math.max(1, Math.ceil(found.length / CARDS));
  const asked = Number(query("page"));
  const number = Number.isSafeInteger(asked) ? Math.min(Math.max(1, asked), count) : 1;
  return { find, number, count, shown: found.slice((number - 1) * CARDS, number * CARDS) };
}

function renderFinder({ find, shown }: CardPage, sources: readonly SourceSummary[]): Html | string {
  if (sources.length <= CARDS) return "";
  return html`<form action="/console" class="find"><label>Find a source <input name="find" type="search" value="${find}" autocomplete="off"></label><button>Find</button></form>
${shown.length === 0 ? html`<p>No source has that in its name. <a href="/console">Show all sources</a></p>` : ""}`;
}

function renderPages({ find, number, count }: CardPage): Html | string {
  if (count === 1) return "";
  const at = (page: number) => withQuery("/console", { find: find || undefined, page });
  return html`<nav class="pages" aria-label="Pages">${number > 1 ? html`<a rel="prev" href="${at(number - 1)}">Previous page</a>` : html`<span></span>`}<span class="small">Page ${formatNumber(number)} of ${formatNumber(count)}</span>${number < count ? html`<a rel="next" href="${at(number + 1)}">Next page</a>` : html`<span></span>`}</nav>`;
}

/** Gives a source another name. */
export const renameByForm: Act = async ({ context }, form) => {
  await renameConnection(context, form.get("connection_id") ?? "", form.get("name") ?? "");
  return redirectTo("/console");
};

interface Known {
  readonly source: SourceSummary;
  readonly figures: SourceFigures | undefined;
  readonly runs: readonly ImportRun[];
  readonly syncs: readonly SyncSummary[];
}

function renderSource(request: OwnerRequest, known: Known): Html {
  const { source, syncs } = known;
  const { connection_id, display_name, streams } = source;
  const filled = streams
    .filter(({ record_count }) => record_count > 0)
    .sort((a, b) => b.record_count - a.record_count);
  const empty = streams.filter(({ record_count }) => record_count === 0);
  const uses = listUses(source);
  const descriptions = new Set(filled.flatMap(({ description }) => description ?? []));
  return html`<article class="card source"><header>${renderInitials(display_name)}<div><h2 dir="auto">${display_name}</h2>
<p class="small">${describeSize(known)}</p></div></header>
${renderTimeline(known)}
<ul class="streams">${filled.map(
    ({ stream, label, record_count, time_range }) => html`<li>
<a href="/console/streams/${connection_id}/${stream}" dir="auto">${label ?? stream}</a> <span class="number">${formatNumber(record_count)}</span>
<span class="small">${time_range ? renderDays(time_range.first, time_range.last) : "without dates"}</span></li>`,
  )}</ul>
${when(empty.length > 0, () => html`<p class="small">Empty: ${empty.map(({ label, stream }) => label ?? stream).join(", ")}</p>`)}
${[...descriptions].map((text) => html`<p class="small" dir="auto">${text}</p>`)}
${when(uses.length > 0, () => html`<p class="small">Good for ${joinWords(uses)}.</p>`)}
<p class="small">${describeLastImport(known, request.context.now())}</p>
${syncs.map((sync) => html`<p class="small"><a href="/console/sync/${encodeURIComponent(sync.sync_id)}">Sync</a> ${describeSyncState(sync)}</p>`)}
<div class="source-links"><a href="${withQuery("/console/search", { connection_id })}">Search<span class="hidden"> in ${shorten(display_name)}</span></a>
<details><summary>Rename<span class="hidden"> ${shorten(display_name)}</span></summary>
<form method="post" action="/console/rename" class="find">${renderCsrfField(request)}${renderHiddenFields({ connection_id })}
<label>New name <input name="name" maxlength="200" required value="${display_name}" autocomplete="off"></label><button>Rename</button></form>
<p class="small">Its id stays <code class="id">${connection_id}</code>.</p></details>
<a href="${withQuery("/console/delete", { what: connection_id })}">Delete<span class="hidden"> ${shorten(display_name)}</span>…</a></div></article>`;
}

function renderTimeline({ source, figures }: Known): Html | string {
  if (!figures) return countRecords(source) === 0 ? "" : html`<p class="small counting">Counting…</p>`;
  return figures.timeline ? renderPlot(figures.timeline, shorten(source.display_name)) : "";
}

function describeSize({ source, figures }: Known): string {
  const records = formatCount(countRecords(source), "record");
  if (!figures) return records;
  const sizes = figures.sizes.flatMap((size) => {
    const stream = source.streams.find((each) => each.stream === size.stream);
    return stream ? [{ ...size, record_count: stream.record_count }] : [];
  });
  const about = sizes.some((each) => each.record_count > each.measured_records) ? "about " : "";
  const text = sizes.reduce(
    (sum, each) => sum + (each.measured_bytes * each.record_count) / Math.max(1, each.measured_records),
    0,
  );
  const files = sizes.reduce((sum, each) => sum + each.file_bytes, 0);
  return [
    records,
    `${about}${formatSize(text)} of text`,
    ...(files > 0 ? [`${formatSize(files)} of files`] : []),
  ].join(" · ");
}

/** The last import with records for the connection, and how much arrived lately. */
function describeLastImport({ source, runs }: Known, now_ms: number): Html | string {
  const own = runs.flatMap((run) =>
    run.imports.flatMap((imported) =>
      imported.connection_id === source.connection_id ? [{ run, imported }] : [],
    ),
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

type Field = StreamSummary["fields"][number];

/** The questions that a source can answer, and the field roles that each needs. */
const USES: readonly (readonly [string, (field: Field) => boolean])[] = [
  ["full-text search", ({ searchable }) => searchable === true],
  ["conversations", hasRole("thread", "parent")],
  ["who wrote or did what", hasRole("actor")],
  ["who received what", hasRole("recipient")],
  ["dates", hasRole("event-time")],
  ["places", hasRole("place")],
  ["amounts", hasRole("amount")],
];

/** Lists the uses of the streams that have records; of all streams while none has. */
export function listUses({ streams }: Pick<SourceSummary, "streams">): string[] {
  const filled = streams.filter(({ record_count }) => record_count > 0);
  const fields = (filled.length > 0 ? filled : streams).flatMap((stream) => stream.fields);
  return USES.filter(([, isFor]) => fields.some(isFor)).map(([use]) => use);
}

function hasRole(...roles: readonly Role[]): (field: Field) => boolean {
  return ({ role }) => role !== undefined && roles.includes(role);
}

const SAMPLE_SOURCE = "urn:rungs:connector:demo-";

/** Renders the tour if all data is the sample data. */
function renderTour(sources: readonly SourceSummary[]): Html | string {
  if (!sources.every(({ source_id }) => source_id.startsWith(SAMPLE_SOURCE))) return "";
  return html`<section class="card tour" data-hide="tour" aria-labelledby="tour"><h2 id="tour">Three things to try on this sample data</h2><ol>
<li><a href="${withQuery("/console/search", { q: '"blue pot"' })}">Search for “blue pot”</a><span class="small">An agent gets the same evidence: the words, and where they are.</span></li>
<li><a href="/console/connect">Connect your agent</a><span class="small">It asks for access, and a page shows you what it would read.</span></li>
<li><a href="/console/activity">See what it read</a><span class="small">Every search and every range of every field, in order. End a grant whenever you like.</span></li></ol></section>`;
}
