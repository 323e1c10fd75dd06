/** The page of one record, the records around it, and the files that it refers to. */
import {
  formatRecordPage,
  type OutgoingRecord,
  presentRecord,
  recordSchema,
  requireRecordOfPage,
} from "@rungs/contract";
import { createStreamNamer } from "../figures/sources.ts";
import type { OwnerRequest } from "../request/console-request.ts";
import type { Show } from "../request/route.ts";
import { type Html, html, when } from "../ui/html.ts";
import { withQuery } from "../ui/links.ts";
import { renderAround, renderMembers } from "../ui/record/around.ts";
import { formatFieldName, renderFieldValue } from "../ui/record/fields.ts";
import { PDF } from "../ui/record/file.ts";
import { renderRecordView, type Surroundings } from "../ui/record/record-view.ts";
import { nameRecord, renderRow } from "../ui/record/row.ts";
import { renderHiding } from "./hidden.ts";

const PREVIEW_BYTES = 24_000;
const TITLE_CHARS = 70;
const ATTACHED_BYTES = 2_000;
const ATTACHED_MAX = 20;
/** Enough to distinguish one record from several: the thread of the first has the others. */
const MEMBERS = 2;
/** A conversation with branches makes sense only with more of the records around one. */
const REACH = { before: 12, after: 12 } as const;
const REACH_ON = { before: 0, after: 24 } as const;

/** One record: every field bounded, with a link to the rest of a truncated one (R31, R32). */
export const showRecord: Show = async (request) => {
  const { client, param, context } = request;
  const { record_id, ...where } = requireRecordOfPage(param("record"));
  const record = await client.call("fetch", { ...where, id: record_id, view: "preview" });
  const presented = presentRecord(record, PREVIEW_BYTES);
  const { view } = presented;
  const { connection_id, stream } = record;
  const nameStream = await createStreamNamer(context);
  const thread = await client.call("read_thread", { ...where, ...REACH, id: record_id, view: "preview" });
  const members = thread.in_thread ? "" : await listMembers(request, record);
  const { attached, linked } = await renderRelated(request, record);
  const body = html`<p class="small crumbs"><a href="/console">Data</a> › <a href="/console/streams/${connection_id}/${stream}"><bdi>${nameStream(connection_id, stream)}</bdi></a></p>
${await renderRecordView(presented, { attached, linked, is_container: members !== "" }, request.query)}
${thread.in_thread ? renderAround(thread) : members}
${await renderHiding(request, view.record)}
<p class="small page-foot"><code class="id">${view.record.id}</code> · <a href="${withQuery("/console/delete", { what: view.record.id })}">Delete this record…</a> · <a href="${withQuery("/console/explain", { record: view.record.id })}">Who can see it</a></p>`;
  return { title: nameRecord(presented, TITLE_CHARS), body };
};

/** Only the records around one: a separate page, which a search result also expands in place. */
export const showAround: Show = async ({ client, param }) => {
  const ref = requireRecordOfPage(param("record"));
  const { record_id, ...where } = ref;
  const thread = await client.call("read_thread", { ...where, id: record_id, view: "preview" });
  const body = html`<p class="small"><a href="${formatRecordPage(ref)}">The whole record</a></p>
${renderAround(thread) || html`<p class="around">No other record is in its thread.</p>`}`;
  return { title: "Around this record", body };
};

/** The records whose thread is this record, with their branches: the messages of a conversation or of a channel. A record with a text is none of those. */
async function listMembers(
  { client }: OwnerRequest,
  { connection_id, stream: own, id, shapes = [] }: OutgoingRecord,
): Promise<Html | string> {
  if (shapes.some(({ role }) => role === "body")) return "";
  const { streams } = await client.call("schema", { connection_id });
  for (const { stream, label, fields } of streams.filter((each) => each.stream !== own)) {
    const threads = fields.filter(
      ({ role, type, filterable }) => role === "thread" && type === "string" && filterable,
    );
    for (const { name } of threads) {
      const page = await client.call("query_records", {
        connection_id,
        stream,
        view: "preview",
        limit: MEMBERS,
        order: "asc",
        filter: [`${name}=${id}`],
      });
      const [first, second] = page.data;
      if (!first) continue;
      const heading = `${label ?? stream} in it`;
      if (!second)
        return html`<section class="around"><h2>${heading}</h2><ol class="rows">${renderRow(first)}</ol></section>`;
      const where = { connection_id, stream, id: first.id, view: "preview" } as const;
      const thread = await client.call("read_thread", { ...where, ...REACH_ON });
      return renderMembers(thread, heading);
    }
  }
  return "";
}

/** What the source declares to belong to the record (R66): its files in place, by the same calls that agents get. */
async function renderRelated(
  { client }: OwnerRequest,
  { related = [] }: OutgoingRecord,
): Promise<Pick<Surroundings, "attached" | "linked">> {
  const sections: Html[] = [];
  const linked: string[] = [];
  for (const { name, read } of related) {
    if (read.operation === "fetch") {
      const ref = requireRecordOfPage(String(read.args.id));
      linked.push(ref.record_id);
      sections.push(
        html`<p class="small"><a href="${formatRecordPage(ref)}">Open its ${formatFieldName(name)}</a></p>`,
      );
      continue;
    }
    if (read.operation !== "query_records") continue;
    const { stream = "", connection_id, filter } = read.args as Record<string, string | string[]>;
    const page = await client.call("query_records", {
      stream: String(stream),
      connection_id: connection_id === undefined ? undefined : String(connection_id),
      filter: filter === undefined ? undefined : [filter].flat(),
      view: "preview",
      limit: ATTACHED_MAX,
    });
    if (page.data.length > 0) sections.push(renderAttached(name, page.data, page.has_more));
  }
  return { attached: sections.length === 0 ? "" : html`${sections}`, linked };
}

function renderAttached(name: string, records: readonly unknown[], has_more: boolean): Html {
  return html`<section class="attached"><h2>${name}</h2><ul>${records.map((each) => {
    const presented = presentRecord(recordSchema.parse(each), ATTACHED_BYTES);
    const { view } = presented;
    const file = view.fields.find(({ binary }) => binary);
    return html`<li><a href="${formatRecordPage(view.record)}" dir="auto">${nameRecord(presented, TITLE_CHARS)}</a>
${when(file, (field) => renderFieldValue(view.record, field))}</li>`;
  })}</ul>${when(has_more, () => html`<p class="small">and more</p>`)}</section>`;
}

/** Sends a blob as a download: never shown as a page of this site, whatever type it claims. A PDF may be opened on request. */
export const sendBlob: Show = async ({ client, param, query }) => {
  const { bytes, mime_type, size_bytes } = await client.openBlob({ blob_id: param("blob_id") });
  const isOpened = query("view") === "pdf" && mime_type === PDF;
  return new Response(ReadableStream.from(bytes), {
    headers: {
      "Content-Type": mime_type,
      "Content-Length": String(size_bytes),
      "Content-Disposition": isOpened ? "inline" : "attachment",
      // A sandbox would block the browser's viewer; even without one, a PDF cannot load or run anything of this site.
      "Content-Security-Policy": isOpened ? "default-src 'none'" : "default-src 'none'; sandbox",
    },
  });
};
