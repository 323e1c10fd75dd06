import { formatRecordPage, type OutgoingRecord, presentRecord } from "@rungs/contract";
import { type Html, html } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { showTime } from "../ui/words.ts";
import type { Show } from "../visit/answer.ts";

const RECORDS = 25;
const PREVIEW_BYTES = 1200;

/** A stream's records, newest first. */
export const showRecords: Show = async ({ client, param, query }) => {
  const [connection_id, stream] = [param("connection_id"), param("stream")];
  const page = await client.call("query_records", {
    connection_id,
    stream,
    limit: RECORDS,
    cursor: query("cursor"),
  });
  const path = `/console/streams/${connection_id}/${stream}`;
  const { next_cursor } = page;
  const body = html`<p class="small">${connection_id}/${stream}, newest first ·
<a href="${withQuery("/console/search", { connection_id, stream })}">Search in it</a></p>
${page.data.length === 0 ? html`<p>There are no records.</p>` : html`<ol class="rows">${page.data.map(renderRow)}</ol>`}
${next_cursor ? html`<p class="pages"><a rel="next" href="${withQuery(path, { cursor: next_cursor })}">Next page</a></p>` : ""}`;
  return { title: stream, body };
};

function renderRow(record: OutgoingRecord): Html {
  const { view, card } = presentRecord(record, PREVIEW_BYTES);
  const lines = [card.actor, card.secondary, card.amount].filter((line) => line !== undefined);
  return html`<li><a href="${formatRecordPage(view.record)}" dir="auto">${card.title ?? view.record.record_id}</a>
<span class="small" dir="auto">${card.event_time === undefined ? "" : showTime(card.event_time)} ${lines.join(" · ")}</span></li>`;
}
