import { formatRecordPage, presentRecord, requireRecordOfPage } from "@rungs/contract";
import { CodedError, type FieldWindow, type Match, type RecordRef } from "@rungs/evidence";
import { createStreamNamer } from "../figures/sources.ts";
import type { OwnerRequest } from "../request/console-request.ts";
import type { Show } from "../request/route.ts";
import { type Html, html } from "../ui/html.ts";
import { fieldPage } from "../ui/links.ts";
import { MATCH, markText } from "../ui/marked-text.ts";
import { formatFieldName } from "../ui/record/fields.ts";
import { nameType } from "../ui/record/file.ts";
import { nameRecord } from "../ui/record/row.ts";
import { formatNumber } from "../ui/words.ts";

const [PREVIEW_BYTES, TITLE_CHARS] = [1_000, 60];

/** A window of one field: at an offset, at a cursor, or around a match, with links to the adjacent windows. */
export const showField: Show = async (request) => {
  const ref = requireRecordOfPage(request.param("record"));
  const field_path = request.query("field_path") ?? "";
  const q = request.query("q");
  const found = await readWindow(request, ref, field_path);
  const { connection_id, stream, record_id } = ref;
  const record = await request.client.call("fetch", {
    connection_id,
    stream,
    id: record_id,
    view: "preview",
  });
  const nameStream = await createStreamNamer(request.context);
  const body = html`<p class="small crumbs"><a href="/console">Data</a> › <a href="/console/streams/${connection_id}/${stream}"><bdi>${nameStream(connection_id, stream)}</bdi></a> › <a href="${formatRecordPage(ref)}">The whole record</a></p>
${renderFind(ref, field_path, q)}
${found.is_missing ? html`<p role="status" class="notice">“${q}” does not occur in this field.</p>` : ""}
${renderWindow(found.window, parseMarks(request.query("marks")))}`;
  const title = nameRecord(presentRecord(record, PREVIEW_BYTES), TITLE_CHARS);
  return { title: `${title}: ${formatFieldName(field_path)}`, body };
};

interface Found {
  readonly window: FieldWindow;
  /** The query does not occur in the field: the window shows the start of the field. */
  readonly is_missing: boolean;
}

async function readWindow(request: OwnerRequest, ref: RecordRef, field_path: string): Promise<Found> {
  const { client, query } = request;
  const { record_id, ...where } = ref;
  const field = { ...where, id: record_id, field_path };
  const selector = {
    cursor: query("cursor"),
    offset_chars: parseCount(query("offset_chars")),
    limit_chars: parseCount(query("limit_chars")),
    q: query("q"),
  };
  try {
    return { window: await client.call("read_record_field", { ...field, ...selector }), is_missing: false };
  } catch (error) {
    if (!isMissing(error)) throw error;
    return { window: await client.call("read_record_field", field), is_missing: true };
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof CodedError && error.code === "match_not_found";
}

function renderFind(ref: RecordRef, field_path: string, q: string | undefined): Html {
  return html`<form action="${formatRecordPage(ref)}/field#${MATCH}" class="find" role="search">
<input type="hidden" name="field_path" value="${field_path}">
<label class="hidden" for="q">Find in this field</label>
<input id="q" name="q" type="search" value="${q ?? ""}" placeholder="Find in this field" required><button>Find</button></form>`;
}

function renderWindow({ record, field, window }: FieldWindow, marks: readonly Match[]): Html {
  const { text, start_chars, end_chars, complete, next_cursor, previous_cursor, match } = window;
  const matches =
    match?.start_chars === undefined || match.end_chars === undefined
      ? marks
      : [{ start_chars: match.start_chars, end_chars: match.end_chars }];
  const linkWindow = (cursor: string | null | undefined, rel: string, label: string) =>
    cursor
      ? html`<a rel="${rel}" href="${fieldPage(record, field.path, { cursor })}">${label}</a>`
      : html`<span></span>`;
  const pages = complete
    ? ""
    : html`<p class="pages window-pages">${linkWindow(previous_cursor, "prev", "Previous part")}${linkWindow(next_cursor, "next", "Next part")}</p>`;
  const range = `Characters ${formatNumber(start_chars)}–${formatNumber(end_chars)} of ${formatNumber(field.size_chars ?? end_chars)}`;
  return html`<p class="small">${range}${complete ? ": all of it" : ""}${field.mime_type ? ` · ${nameType(field.mime_type)}` : ""}</p>
${pages}<div class="window text" dir="auto">${markText(text, start_chars, matches, MATCH)}</div>${pages}`;
}

/** Parses the match positions of a search, as `start-end` pairs; they only highlight text. */
function parseMarks(text = ""): Match[] {
  const pairs = text.matchAll(/(\d{1,15})-(\d{1,15})/g);
  return [...pairs].map(([, start, end]) => ({ start_chars: Number(start), end_chars: Number(end) }));
}

function parseCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
