import { formatRecordPage } from "@rungs/contract";
import type { Evidence, RecordRef, SearchHit, SearchPage } from "@rungs/evidence";
import { type ConnectionSummary, listConnections } from "@rungs/server";
import type { Show } from "../request/route.ts";
import { type Html, html, when } from "../ui/html.ts";
import { fieldPage, withQuery } from "../ui/links.ts";
import { MATCH, markText } from "../ui/marked-text.ts";
import { formatCount, formatNumber, renderTime } from "../ui/words.ts";
import { ASKED, type AskedSearch, renderFacetLinks } from "./search-facets.ts";

const HITS = 20;

/** Search, with the same evidence that an agent gets. */
export const showSearch: Show = async ({ context, client, query }) => {
  const asked = Object.fromEntries(ASKED.map((name) => [name, query(name)])) as AskedSearch;
  const connections = await listConnections(context);
  const page =
    asked.q === undefined ? undefined : await client.call("search", toInput(asked, query("cursor")));
  const { q } = asked;
  const facets = page?.facets ? renderFacetLinks(page.facets, asked, connections) : "";
  const body = html`${renderForm(asked, connections)}${page ? renderPage(page, asked, facets) : ""}`;
  return { title: q === undefined ? "Search" : `Search: ${q}`, body };
};

function toInput(
  { q = "", connection_id, stream, since, until, filter, order, folded }: AskedSearch,
  cursor?: string,
) {
  return {
    q,
    connection_id: connection_id?.split(","),
    stream: stream?.split(","),
    since,
    until,
    filter: filter ? [filter] : undefined,
    facets: cursor === undefined,
    order: order === "newest" ? ("newest" as const) : undefined,
    folded: folded !== "false",
    limit: HITS,
    cursor,
  };
}

function renderForm(
  { q, connection_id, stream, since, until, filter, order }: AskedSearch,
  connections: readonly ConnectionSummary[],
): Html {
  const names = connections.map((each) => [each.connection_id, each.display_name] as const);
  const streams = new Set(connections.flatMap((each) => each.streams.map((one) => one.stream)));
  return html`<form action="/console/search" class="find wide" role="search">
<label class="hidden" for="q">A question, words, or "a phrase" in quotes</label>
<input id="q" name="q" type="search" value="${q ?? ""}" placeholder='A question, words, or "a phrase" in quotes' required>
<label class="hidden" for="connection_id">Connection</label>
<select id="connection_id" name="connection_id">${renderOptions("Every connection", names, connection_id)}</select>
<label class="hidden" for="stream">Stream</label>
<select id="stream" name="stream">${renderOptions(
    "Every stream",
    [...streams].map((name) => [name, name] as const),
    stream,
  )}</select>
<label>From <input name="since" type="date" value="${since ?? ""}"></label>
<label>Before <input name="until" type="date" value="${until ?? ""}"></label>
<label class="hidden" for="order">Order</label>
<select id="order" name="order">${renderOptions("Best first", [["newest", "Newest first"]], order)}</select>
${when(filter, (given) => html`<input type="hidden" name="filter" value="${given}">`)}
<button class="main">Search</button></form>`;
}

/** Renders the options of a select element: first the one for no choice. */
function renderOptions(
  none: string,
  options: readonly (readonly [value: string, name: string])[],
  chosen: string | undefined,
): Html[] {
  return [["", none] as const, ...options].map(
    ([value, name]) =>
      html`<option value="${value}"${value === (chosen ?? "") ? html` selected` : ""}>${name}</option>`,
  );
}

function renderPage(
  { data, meta, next_cursor }: SearchPage,
  asked: AskedSearch,
  facets: Html | string,
): Html {
  const { count, recall } = meta;
  const found = count === 0 || count == null ? "Nothing found." : `${formatCount(count, "record")} found.`;
  return html`<p class="small" role="status">${found}</p>
${recall.not_searched ? html`<p class="small">Not searched: ${recall.not_searched.join("; ")}.</p>` : ""}
${when(meta.meaning, ({ state, compared, of }) => html`<p class="small">${state === "unavailable" ? "Only words were compared: the embedding service did not answer." : `Meaning was compared for ${formatNumber(compared)} of ${formatNumber(of)} records.`}</p>`)}
${facets}<ol class="hits">${data.map((hit) => renderHit(hit, asked))}</ol>
${next_cursor ? html`<p class="pages"><a rel="next" href="${withQuery("/console/search", { ...asked, cursor: next_cursor })}">Next page</a></p>` : ""}`;
}

function renderHit(hit: SearchHit, asked: AskedSearch): Html {
  const { id, title, display_name, stream, event_time, evidence, similar } = hit;
  return html`<li class="card"><article><h2 dir="auto"><a href="${formatRecordPage(hit)}">${title ?? id}</a></h2>
<p class="small">${display_name} · ${stream}${event_time ? html` · ${renderTime(event_time)}` : ""}</p>
${evidence.map((each) => renderEvidence(hit, each))}${similar ? renderSimilar(similar, asked) : ""}</article></li>`;
}

function renderSimilar({ count, open }: NonNullable<SearchHit["similar"]>, asked: AskedSearch): Html {
  const { cursor } = open.args;
  const page = { ...asked, folded: "false", ...(cursor !== undefined && { cursor: String(cursor) }) };
  return html`<p class="small"><a href="${withQuery("/console/search", page)}">${formatNumber(count)} more nearly the same</a></p>`;
}

function renderEvidence(ref: RecordRef, evidence: Evidence): Html {
  const { field_path, preview, preview_start_chars, preview_end_chars, size_chars, matches, read } = evidence;
  const { offset_chars } = read.args;
  const marks = matches.map(({ start_chars, end_chars }) => `${start_chars}-${end_chars}`).join(",");
  const window = { offset_chars: Number(offset_chars), marks };
  const [before, after] = [preview_start_chars > 0 ? "…" : "", preview_end_chars < size_chars ? "…" : ""];
  const range = `${formatNumber(preview_start_chars)}–${formatNumber(preview_end_chars)} of ${formatNumber(size_chars)}`;
  return html`<div class="evidence">
<p class="text" dir="auto">${before}${markText(preview, preview_start_chars, matches)}${after}</p>
<p class="small"><a href="${fieldPage(ref, field_path, window)}#${MATCH}">Read ${field_path} here</a> · characters ${range}</p>
</div>`;
}
