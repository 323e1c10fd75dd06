/** The pages of records: a stream's list, one record, and the files that it refers to. */
import {
  formatRecordPage,
  type OutgoingRecord,
  presentRecord,
  requireRecordOfPage,
  type Thread,
} from "@rungs/contract";
import type { Continuation, FieldView, RecordIdentity } from "@rungs/evidence";
import type { Show } from "../request/route.ts";
import { type Html, html, when } from "../ui/html.ts";
import { fieldPage, withQuery } from "../ui/links.ts";
import { formatCount, formatSize, renderTime } from "../ui/words.ts";

const RECORDS = 25;
const ROW_PREVIEW_BYTES = 1200;

/** A stream's records, newest first. */
export const showRecords: Show = async ({ client, param, query }) => {
  const [connection_id, stream] = [param("connection_id"), param("stream")];
  const page = await client.call("query_records", {
    connection_id,
    stream,
    view: "preview",
    limit: RECORDS,
    cursor: query("cursor"),
  });
  const path = `/console/streams/${connection_id}/${stream}`;
  const { next_cursor } = page;
  const body = html`<p class="small">${connection_id}/${stream}, newest first ·
<a href="${withQuery("/console/search", { connection_id, stream })}">Search in it</a> ·
<a href="${withQuery("/console/delete", { what: `${connection_id}/${stream}` })}">Delete all…</a></p>
${page.data.length === 0 ? html`<p>There are no records.</p>` : html`<ol class="rows">${page.data.map(renderRow)}</ol>`}
${next_cursor ? html`<p class="pages"><a rel="next" href="${withQuery(path, { cursor: next_cursor })}">Next page</a></p>` : ""}`;
  return { title: stream, body };
};

function renderRow(record: OutgoingRecord): Html {
  const { view, card } = presentRecord(record, ROW_PREVIEW_BYTES);
  const lines = [card.actor, card.secondary, card.amount].filter((line) => line !== undefined);
  return html`<li><a href="${formatRecordPage(view.record)}" dir="auto">${card.title ?? view.record.record_id}</a>
<span class="small" dir="auto">${card.event_time === undefined ? "" : renderTime(card.event_time)} ${lines.join(" · ")}</span></li>`;
}

const RECORD_PREVIEW_BYTES = 24_000;
/** A longer text gets a link to search within it. */
const LONG_CHARS = 200;

/** One record: every field bounded, with a link to the rest of a truncated one (R31, R32). */
export const showRecord: Show = async ({ client, param }) => {
  const { record_id, ...where } = requireRecordOfPage(param("record"));
  const record = await client.call("fetch", { ...where, id: record_id, view: "preview" });
  const { view, card } = presentRecord(record, RECORD_PREVIEW_BYTES);
  const { display_name, connection_id, stream } = record;
  const time = when(card.event_time, (at) => html` · ${renderTime(at)}`);
  const actor = when(card.actor, (name) => html` · <bdi>${name}</bdi>`);
  const place = `${display_name ?? connection_id} · ${stream}`;
  const body = html`<p class="small"><a href="/console/streams/${connection_id}/${stream}">${place}</a>${time}${actor}</p>
<p class="small"><code class="id">${view.record.id}</code></p>
<dl class="fields">${view.fields.map((field) => renderField(view.record, field))}</dl>
${renderAround(await client.call("read_thread", { ...where, id: record_id, view: "preview" }))}
<p class="small"><a href="${withQuery("/console/delete", { what: view.record.id })}">Delete this record…</a></p>`;
  return { title: card.title ?? record_id, body };
};

/** The records before and after one in its thread, in order, with links to go on either way (R66). */
function renderAround({ anchor, in_thread, data, has_before, has_after }: Thread): Html | string {
  if (!in_thread || data.length === 1) return "";
  const [first, last] = [data[0], data.at(-1)].map(
    (record) => record && presentRecord(record, 0).view.record,
  );
  return html`<section><h2>Around this record</h2>
${when(has_before && first, (record) => html`<p class="pages"><a rel="prev" href="${formatRecordPage(record)}">Earlier</a></p>`)}
<ol class="rows">${data.map((record) => (record.handle === anchor ? renderAnchor(record) : renderRow(record)))}</ol>
${when(has_after && last, (record) => html`<p class="pages"><a rel="next" href="${formatRecordPage(record)}">Later</a></p>`)}
</section>`;
}

function renderAnchor(record: OutgoingRecord): Html {
  const { view, card } = presentRecord(record, ROW_PREVIEW_BYTES);
  return html`<li aria-current="true"><strong dir="auto">${card.title ?? view.record.record_id}</strong> <span class="small">this record</span></li>`;
}

function renderField(record: RecordIdentity, field: FieldView): Html {
  const { path, preview, status, size_chars } = field;
  if (field.binary) return renderBinary(field);
  const isCut = status === "truncated";
  const isLong = isCut || (size_chars ?? 0) > LONG_CHARS;
  const link = isCut
    ? html`<a href="${formatNextWindow(record, field)}">Read on in ${path}</a>`
    : html`<a href="${fieldPage(record, path)}">Find in ${path}</a>`;
  return html`<div><dt>${path}</dt><dd><p class="text" dir="auto">${preview}${isCut ? "…" : ""}</p>
${when(isLong, () => html`<p class="small">${when(size_chars, (size) => html`${formatCount(size, "character")} · `)}${link}</p>`)}
</dd></div>`;
}

/** Never shows bytes, only their type and size (R33). */
function renderBinary({ path, binary, next }: FieldView): Html {
  const { mime_type = "", size_bytes = 0, filename } = binary ?? {};
  const blob_id = next?.operation === "read_blob" ? next.args.blob_id : undefined;
  return html`<div><dt>${path}</dt><dd><p>${filename ? html`<bdi>${filename}</bdi>, ` : ""}${mime_type}, ${formatSize(size_bytes)}</p>
${blob_id === undefined ? "" : html`<p class="small"><a href="/console/blobs/${String(blob_id)}" download="${filename ?? ""}">Download ${path}</a></p>`}</dd></div>`;
}

function formatNextWindow(record: RecordIdentity, { path, next }: FieldView): string {
  const { field_path = path, offset_chars } = (next as Continuation | undefined)?.args ?? {};
  return fieldPage(record, String(field_path), {
    offset_chars: offset_chars === undefined ? undefined : Number(offset_chars),
  });
}

/** Sends a blob as a download: never shown as a page of this site, whatever type it claims. */
export const sendBlob: Show = async ({ client, param }) => {
  const { bytes, mime_type, size_bytes } = await client.openBlob({ blob_id: param("blob_id") });
  return new Response(ReadableStream.from(bytes), {
    headers: {
      "Content-Type": mime_type,
      "Content-Length": String(size_bytes),
      "Content-Disposition": "attachment",
      "Content-Security-Policy": "default-src 'none'; sandbox",
    },
  });
};
