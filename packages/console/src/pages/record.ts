import { presentRecord, requireRecordOfPage } from "@rungs/contract";
import type { Continuation, FieldView, RecordIdentity } from "@rungs/evidence";
import { type Html, html, when } from "../ui/html.ts";
import { fieldPage } from "../ui/links.ts";
import { countOf, formatSize, showTime } from "../ui/words.ts";
import type { Show } from "../visit/answer.ts";

const PREVIEW_BYTES = 24_000;
/** A text from which on it is worth looking for a place in it. */
const LONG_CHARS = 200;

/** One record: every field bounded, with the way on where something was cut (R31, R32). */
export const showRecord: Show = async ({ client, param }) => {
  const { record_id, ...where } = requireRecordOfPage(param("record"));
  const record = await client.call("fetch", { ...where, id: record_id });
  const { view, card } = presentRecord(record, PREVIEW_BYTES);
  const { display_name, connection_id, stream } = record;
  const time = when(card.event_time, (at) => html` · ${showTime(at)}`);
  const actor = when(card.actor, (name) => html` · <bdi>${name}</bdi>`);
  const place = `${display_name ?? connection_id} · ${stream}`;
  const body = html`<p class="small"><a href="/console/streams/${connection_id}/${stream}">${place}</a>${time}${actor}</p>
<p class="small"><code class="id">${view.record.id}</code></p>
<dl class="fields">${view.fields.map((field) => renderField(view.record, field))}</dl>`;
  return { title: card.title ?? record_id, body };
};

function renderField(record: RecordIdentity, field: FieldView): Html {
  const { path, preview, status, size_chars } = field;
  if (field.binary) return renderBinary(field);
  const isCut = status === "truncated";
  const isLong = isCut || (size_chars ?? 0) > LONG_CHARS;
  const way = isCut
    ? html`<a href="${readOn(record, field)}">Read on in ${path}</a>`
    : html`<a href="${fieldPage(record, path)}">Find in ${path}</a>`;
  return html`<div><dt>${path}</dt><dd><p class="text" dir="auto">${preview}${isCut ? "…" : ""}</p>
${when(isLong, () => html`<p class="small">${when(size_chars, (size) => html`${countOf(size, "character")} · `)}${way}</p>`)}
</dd></div>`;
}

/** Bytes are never shown, only what is known of them (R33). */
function renderBinary({ path, binary, next }: FieldView): Html {
  const { mime_type = "", size_bytes = 0, filename } = binary ?? {};
  const blob_id = next?.operation === "read_blob" ? next.args.blob_id : undefined;
  return html`<div><dt>${path}</dt><dd><p>${filename ? html`<bdi>${filename}</bdi>, ` : ""}${mime_type}, ${formatSize(size_bytes)}</p>
${blob_id === undefined ? "" : html`<p class="small"><a href="/console/blobs/${String(blob_id)}" download="${filename ?? ""}">Download ${path}</a></p>`}</dd></div>`;
}

function readOn(record: RecordIdentity, { path, next }: FieldView): string {
  const { field_path = path, offset_chars } = (next as Continuation | undefined)?.args ?? {};
  return fieldPage(record, String(field_path), {
    offset_chars: offset_chars === undefined ? undefined : Number(offset_chars),
  });
}
