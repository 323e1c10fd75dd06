/** Renders an import on its page, and as a row of the list. */
import type { ImportedConnection, ImportRun } from "@rungs/server";
import type { StreamNamer } from "../figures/sources.ts";
import { TOGETHER } from "../imports/receive-upload.ts";
import { type Html, html, when } from "./html.ts";
import { withQuery } from "./links.ts";
import { type ListPlace, renderRowPage } from "./row-pages.ts";
import { formatCount, formatNumber, formatSize, renderTime } from "./words.ts";

/** The bytes of each list of an import's page. */
const LIST_BYTES = 4_000;

/** Renders one import: its progress while it runs, then its outcome; `lookedAt` imports an inspected upload. */
export async function renderRun(
  run: ImportRun,
  lookedAt: Html | undefined,
  nameSource: StreamNamer,
  query: ListPlace["query"],
): Promise<Html> {
  const placeOf = (name: string) => ({
    query,
    path: `/console/import/${run.import_id}`,
    name,
    most_bytes: LIST_BYTES,
  });
  const left = await renderRowPage(placeOf("left"), run.left_out, ({ path, reason }) =>
    renderReason(path, reason),
  );
  const connections = await renderRowPage(placeOf("in"), run.imports, (imported, at) =>
    renderConnection(imported, nameSource(imported.connection_id), run.state, placeOf(`rejected${at}`)),
  );
  return html`${renderState(run)}
${await renderRecognised(run, lookedAt, placeOf("recognised"))}
${connections.rows}${connections.pages}
${when(
  run.left_out_count > 0,
  () => html`<h2>${formatCount(run.left_out_count, "file")} left out</h2>
<ul class="rows">${left.rows}</ul>${left.pages}`,
)}`;
}

/** The detected formats, and why. */
async function renderRecognised(
  { recognised = [], imports, state }: ImportRun,
  lookedAt: Html | undefined,
  place: ListPlace,
): Promise<Html | string> {
  if (recognised.length === 0) return "";
  const isLook = state === "done" && imports.length === 0;
  const { rows, pages } = await renderRowPage(
    place,
    recognised,
    ({ label, path, file_count, reason }) =>
      html`<li><span>${path === TOGETHER ? "" : `${path}: `}<strong>${label}</strong>${file_count === undefined || file_count < 2 ? "" : `, ${formatCount(file_count, "file")}`}</span> <span class="small">${reason === undefined ? "as you chose" : `because ${reason}`}</span></li>`,
  );
  return html`<h2>Recognised</h2><ul class="rows">${rows}</ul>${pages}${when(isLook, () => lookedAt ?? html`<p class="notice" role="status">Nothing was stored. <a href="/console/import">Upload it again</a> to import it.</p>`)}`;
}

/** Renders an import as a row: what, when, and how it went. */
export function renderRunRow(run: ImportRun, nameSource: StreamNamer): Html {
  const sources = run.imports.map(({ connection_id }) => nameSource(connection_id)).join(", ");
  return html`<li><div><a href="/console/import/${run.import_id}">${run.name}</a>${when(sources !== "", () => html`<p class="snippet" dir="auto">${sources}</p>`)}</div>
<span class="small row-facts"><span>${renderTime(run.started_at_ms)}</span> <span class="whole">${summarizeRun(run)}</span></span></li>`;
}

function renderState(run: ImportRun): Html {
  switch (run.state) {
    case "failed":
      return html`<p class="notice" role="alert">${wordForPage(run.failure?.message ?? "")}</p><p>${wordForPage(run.failure?.next ?? "")}</p>
<p><a href="/console/import">Import another file</a></p>`;
    case "interrupted":
      return html`<p class="notice" role="alert">This import gave no sign of life for a while: its program may have been
stopped. Import the file again; records that were imported stay.</p>`;
    case "stopped":
      return html`<p class="notice" role="status">Stopped. What was stored stays; importing the same file again resumes.</p>`;
    case "done":
      return html``;
    case "receiving":
    case "running":
      return renderProgress(run);
  }
}

function renderProgress({ state, progress }: ImportRun): Html {
  const { read_bytes, total_bytes, path } = progress;
  const isKnown = total_bytes > 0;
  return html`<p role="status">${describeProgress(state, progress)}</p>
<progress aria-label="Import"${when(isKnown, () => html` value="${Math.min(read_bytes, total_bytes)}" max="${total_bytes}"`)}></progress>
${when(path !== undefined, () => html`<p class="small">Reading ${path}</p>`)}
<p class="small">You can leave this page; the import continues.</p>`;
}

function describeProgress(
  state: ImportRun["state"],
  { read_bytes, total_bytes, items }: ImportRun["progress"],
): string {
  if (total_bytes === 0) return "Looking at the file…";
  const bytes = `${formatSize(read_bytes)} of ${formatSize(total_bytes)}`;
  return state === "receiving" ? `Receiving: ${bytes}.` : `${bytes} read, ${formatCount(items, "item")}.`;
}

/** `3 added, 1 rejected`, or what it is doing. */
function summarizeRun(run: ImportRun): string {
  if (run.state === "receiving" || run.state === "running") return describeProgress(run.state, run.progress);
  const sum = (what: Count) => run.imports.reduce((total, each) => total + each[what], 0);
  const counts = COUNTS.flatMap((what) => (sum(what) > 0 ? [`${formatNumber(sum(what))} ${what}`] : []));
  const left = run.left_out_count > 0 ? [`${formatCount(run.left_out_count, "file")} left out`] : [];
  const state = run.state === "done" ? [] : [run.state];
  return [...state, ...counts, ...left].join(", ") || "nothing to import";
}

const COUNTS = ["added", "changed", "unchanged", "rejected"] as const;
type Count = (typeof COUNTS)[number];

async function renderConnection(
  imported: ImportedConnection,
  name: string,
  state: ImportRun["state"],
  place: ListPlace,
): Promise<Html> {
  const { connection_id, rejected, rejections } = imported;
  const counts = COUNTS.map((what) => `${formatNumber(imported[what])} ${what}`);
  const { rows, pages } = await renderRowPage(place, rejections, (each) =>
    renderReason(each.place, each.message),
  );
  return html`<p class="lead" role="status">${state === "done" ? "Done" : "So far"}: ${counts.join(", ")}.</p>
<p>In the source <strong dir="auto">${name}</strong>: <a href="${withQuery("/console", { find: connection_id })}">look at it</a> or <a href="${withQuery("/console/search", { connection_id })}">search in it</a>.</p>
${when(
  rejections.length > 0,
  () => html`<h2>${formatCount(rejected, "item")} rejected</h2>
<ul class="rows">${rows}</ul>${pages}`,
)}`;
}

/** Translates command line advice for the page, whose form lists the formats. */
function wordForPage(text: string): string {
  return text
    .replace(/ Known formats: .*$/s, "")
    .replace(
      /^Name the format with --as.*$/s,
      "Upload it again, and choose its format under “Name and format”.",
    )
    .replace(/with --as (\w+)/g, "with the format $1");
}

function renderReason(place: string, reason: string): Html {
  return html`<li><span>${place}</span> <span class="small">${wordForPage(reason)}</span></li>`;
}
