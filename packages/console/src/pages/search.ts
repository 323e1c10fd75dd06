import { setTimeout as wait } from "node:timers/promises";
import type { SearchMeta, SearchPage } from "@rungs/evidence";
import { listSources, type SourceNames } from "@rungs/server";
import { nameStreamsOf } from "../figures/sources.ts";
import type { Show } from "../request/route.ts";
import { renderFilters } from "../ui/filters.ts";
import { type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { type Option, renderOptions } from "../ui/options.ts";
import { REST } from "../ui/page.ts";
import { formatCount, formatNumber } from "../ui/words.ts";
import { ASKED, type AskedSearch, nameStreams, renderFacetLinks } from "./search-facets.ts";
import { type FoundHit, listPlaces, renderHit } from "./search-hit.ts";

const HITS = 10;
const SHOWN_REASONS = 20;
/** The page's room for results. */
const BODY_BYTES = 21_000;
/** A search that takes longer streams its page: common words in a million records take a while. */
const PATIENCE_MS = 60;
/** The part of the page that the script refreshes while the owner types. */
const RESULTS = "results";

/** Search, with the same evidence that an agent gets. */
export const showSearch: Show = async ({ context, client, query }) => {
  const asked = Object.fromEntries(ASKED.map((name) => [name, query(name)])) as AskedSearch;
  const connections = await listSources(context);
  const frame = (results: Html) =>
    html`${renderForm(asked, connections)}<div id="${RESULTS}">${results}</div>`;
  if (asked.q === undefined) return { title: "Search", body: frame(renderHelp(connections)) };
  const title = `Search: ${asked.q}`;
  const searching = client
    .call("search", toInput(asked, query("cursor")))
    .then((page) => renderPage(page, asked, connections, context.now()));
  const found = await Promise.race([searching, wait(PATIENCE_MS, undefined, { ref: false })]);
  if (found) return { title, body: frame(found) };
  return {
    title,
    body: frame(html`<p class="waiting" role="status">Searching…</p>${REST}`),
    rest: searching,
  };
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
  connections: readonly SourceNames[],
): Html {
  const names = connections.map((each): Option => [each.connection_id, each.display_name]);
  const kinds: Option[] = [...nameStreams(connections)];
  return html`<form action="/console/search" class="find wide" role="search" data-live="${RESULTS}">
<label class="hidden" for="q">A question, words, or "a phrase" in quotes</label>
<input id="q" name="q" type="search" value="${q ?? ""}" placeholder='A question, words, or "a phrase" in quotes' required>
<button class="main">Search</button>
${renderFilters(
  html`<label>Source <select name="connection_id">${renderOptions([["", "Every source"], ...names], connection_id)}</select></label>
<label>Kind <select name="stream">${renderOptions([["", "Every kind"], ...kinds], stream)}</select></label>
<label>From <input name="since" type="date" value="${since ?? ""}"></label>
<label>Before <input name="until" type="date" value="${until ?? ""}"></label>
<label>Order <select name="order">${renderOptions(
    [
      ["", "Best first"],
      ["newest", "Newest first"],
    ],
    order,
  )}</select></label><noscript><button>Narrow it</button></noscript>`,
  connection_id ?? stream ?? since ?? until ?? order,
)}
${when(filter, (given) => html`<input type="hidden" name="filter" value="${given}">`)}</form>`;
}

function renderPage(
  { data, meta, next_cursor, facets }: SearchPage,
  asked: AskedSearch,
  connections: readonly SourceNames[],
  now_ms: number,
): Html {
  const { count, recall } = meta;
  const nameStream = nameStreamsOf(connections);
  const hits = data.map(listPlaces);
  const show = (counts: readonly number[]) =>
    hits.map((each, at) => renderHit(each, counts[at] ?? 0, asked, nameStream, meta));
  const narrowing = when(facets, (counts) => renderFacetLinks(counts, asked, connections, now_ms));
  const least_bytes = Buffer.byteLength(`${narrowing}${show([]).join("")}`);
  const found = count === 0 || count == null ? "Nothing found." : `${formatCount(count, "record")} found.`;
  return html`<p class="small" role="status">${found}</p>
${renderWords(meta)}
${when(recall.not_searched, renderNotSearched)}
${when(meta.meaning, ({ state, compared, of }) => html`<p class="small">${state === "unavailable" ? "Only words were compared: the embedding service did not answer." : `Meaning was compared for ${formatNumber(compared)} of ${formatNumber(of)} records.`}</p>`)}
${narrowing}${data.length === 0 ? renderNothing(asked) : html`<ol class="hits">${show(countPlaces(hits, BODY_BYTES - least_bytes))}</ol>`}
${next_cursor ? html`<p class="pages"><a rel="next" href="${withQuery("/console/search", { ...asked, cursor: next_cursor })}">Next page</a></p>` : ""}`;
}

/** How many places of each hit fit: the first of every hit, then the second, and so on. */
function countPlaces(hits: readonly FoundHit[], room_bytes: number): number[] {
  const counts = hits.map(() => 0);
  let left_bytes = room_bytes;
  for (let level = 0; hits.some(({ places }) => places.length > level); level += 1)
    for (const [at, { places }] of hits.entries()) {
      const place = places[level];
      if (place === undefined || counts[at] !== level) continue;
      const bytes = Buffer.byteLength(String(place));
      if (bytes > left_bytes) continue;
      left_bytes -= bytes;
      counts[at] = level + 1;
    }
  return counts;
}

function renderNotSearched(reasons: readonly string[]): Html {
  const rest = reasons.slice(SHOWN_REASONS);
  return html`<details class="small not-searched"><summary>${formatCount(reasons.length, "kind")} of records not searched</summary><ul>${reasons
    .slice(0, SHOWN_REASONS)
    .map(
      (reason) => html`<li>${reason}</li>`,
    )}${when(rest.length > 0, () => html`<li>and ${formatNumber(rest.length)} more</li>`)}</ul></details>`;
}

/** What was searched in place of a word that no record has (R61). */
function renderWords({ words = [] }: SearchMeta): Html[] {
  return words
    .filter(({ widened_to }) => widened_to !== undefined && widened_to.length > 0)
    .map(
      ({ word, widened_to = [] }) =>
        html`<p class="small">No record has <b dir="auto">${word}</b>; searched instead: <b dir="auto">${widened_to.join(", ")}</b>.</p>`,
    );
}

function renderNothing(asked: AskedSearch): Html {
  const { q, connection_id, stream, since, until, filter } = asked;
  const isNarrowed = connection_id ?? stream ?? since ?? until ?? filter;
  const hint = /["+]/.test(q ?? "")
    ? html`Take quotation marks and <code>+</code> away: each of them makes a word required.`
    : html`Try fewer or other words, a part of a word with <code>*</code> at its end, or a name.`;
  return html`<div class="card empty"><p>${hint}</p>
${when(isNarrowed, () => html`<p><a href="${withQuery("/console/search", { q })}">Search everything for the same words</a></p>`)}</div>`;
}

/** The page before the first search: the query syntax, and where to search. */
function renderHelp(connections: readonly SourceNames[]): Html {
  const rows: readonly (readonly [string, string])[] = [
    ["when did we book the tea house", "a question: the best answers come first"],
    ['"blue pot"', "these words, one after the other"],
    ["+roof -insurance", "with the first word, without the second"],
    ["insur*", "words that begin so"],
  ];
  return html`<div class="card empty"><h2>How to ask</h2><dl class="examples">${rows.map(
    ([example, words]) =>
      html`<div><dt><a href="${withQuery("/console/search", { q: example })}"><code>${example}</code></a></dt><dd>${words}</dd></div>`,
  )}</dl>
${connections.length === 0 ? html`<p><a href="/console/import">Import something</a> to search in.</p>` : html`<p class="small">Press <kbd>/</kbd> to type, <kbd>j</kbd> and <kbd>k</kbd> to move through the results, <kbd>Enter</kbd> to open one.</p>`}</div>`;
}
