import { type ConnectionSummary, listConnections, type RecordHistogram } from "@rungs/server";
import type { Show } from "../request/route.ts";
import { type Html, html } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { renderPlot } from "../ui/plot.ts";
import { formatCount, formatNumber, renderDay } from "../ui/words.ts";

/** The first page: the connections and their streams. */
export const showConnections: Show = async ({ context }) => {
  const connections = await listConnections(context);
  const cards: Html[] = [];
  for (const connection of connections) {
    cards.push(renderConnection(connection, await context.readTimeline(connection)));
  }
  const total = connections
    .flatMap(({ streams }) => streams)
    .reduce((sum, each) => sum + each.record_count, 0);
  const body =
    cards.length === 0
      ? renderEmpty()
      : html`<p class="lead">${formatCount(total, "record")} in ${formatCount(connections.length, "connection")}.</p>
<form action="/console/search" class="find" role="search"><label class="hidden" for="q">Search everything</label>
<input id="q" name="q" type="search" placeholder="Search everything" required><button class="main">Search</button></form>
<div class="cards">${cards}</div>`;
  return { title: "Your data", body };
};

function renderConnection(connection: ConnectionSummary, timeline: RecordHistogram | undefined): Html {
  const { connection_id, display_name, source_id, streams } = connection;
  return html`<article class="card"><h2 dir="auto">${display_name}</h2>
<p class="small">${connection_id} · ${source_id}</p>
${timeline ? renderPlot(timeline, display_name) : ""}
<table><thead><tr><th scope="col">Stream</th><th scope="col" class="number">Records</th><th scope="col">From, to</th></tr></thead>
<tbody>${streams.map(
    ({ stream, record_count, time_range }) => html`<tr>
<th scope="row"><a href="/console/streams/${connection_id}/${stream}">${stream}</a></th>
<td class="number">${formatNumber(record_count)}</td>
<td>${time_range ? html`${renderDay(time_range.first_ms)} – ${renderDay(time_range.last_ms)}` : "no times"}</td></tr>`,
  )}</tbody></table>
<p><a href="${withQuery("/console/search", { connection_id })}">Search in ${display_name}</a> · <a href="${withQuery("/console/delete", { what: connection_id })}">Delete ${display_name}…</a></p></article>`;
}

function renderEmpty(): Html {
  return html`<p class="lead">There is no data yet.</p>
<div class="cards"><section class="card"><h2>1. Import data</h2>
<p>Upload an export of your mail, chats or documents. It stays on this machine.</p><p><a href="/console/import">Import a file</a></p></section>
<section class="card"><h2>2. Connect an agent</h2>
<p>Tell your agent where your data is. You decide what it may read.</p><p><a href="/console/connect">Connect an agent</a></p></section></div>`;
}
