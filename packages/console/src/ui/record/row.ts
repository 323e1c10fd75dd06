/** A record as a row of a list: a distinctive title, who and when, and the beginning of its text. */
import {
  formatRecordPage,
  type OutgoingRecord,
  type PageRecord,
  presentRecord,
  renderSnippet,
} from "@rungs/contract";
import { foldToLine, type RecordView, sliceChars } from "@rungs/evidence";
import { type Html, html, when } from "../html.ts";
import { renderTime } from "../words.ts";
import { nameType } from "./file.ts";
import { splitPerson } from "./person.ts";

const PREVIEW_BYTES = 1200;
const TEXT_CHARS = 160;

/** The texts of a row. */
export interface RowTexts {
  readonly title: string;
  readonly snippet: string | undefined;
  readonly facts: readonly string[];
  readonly event_time: string | undefined;
  readonly actor: string | undefined;
  readonly href: string;
}

/**
 * A record's display title: its title, else the beginning of its text, else its file, else its values, else its key.
 */
export function nameRecord(presented: PageRecord, max_chars: number): string {
  const { view, card } = presented;
  const { binary } = view.fields.find((field) => field.binary) ?? {};
  const file = binary?.filename ?? (binary && `Unnamed file, ${nameType(binary.mime_type)}`);
  const text = renderSnippet(presented, max_chars);
  return card.title ?? text ?? file ?? (joinValues(view, max_chars) || view.record.record_id);
}

/** The values of a table row on one line, without the key, which means nothing to people. */
function joinValues({ record, fields }: RecordView, max_chars: number): string {
  const texts = fields
    .filter(
      ({ role, kind, preview }) => role === undefined && kind !== "json" && preview !== record.record_id,
    )
    .map(({ preview }) => foldToLine(preview).trim())
    .filter((text) => text !== "");
  return cut(texts.join(" · "), max_chars);
}

function cut(line: string, max_chars: number): string {
  const shown = sliceChars(line, 0, max_chars);
  return shown === line ? line : `${shown.replace(/…$/, "")}…`;
}

/** Describes a record as a row. Without a title, its text is its title. */
export function describeRow(record: OutgoingRecord, text_chars = TEXT_CHARS): RowTexts {
  const presented = presentRecord(record, PREVIEW_BYTES);
  const { view, card } = presented;
  const { title, secondary, amount, event_time } = card;
  const actor = card.actor === undefined ? undefined : splitPerson(card.actor).name;
  return {
    title: cut(nameRecord(presented, text_chars), text_chars),
    snippet: title === undefined ? undefined : renderSnippet(presented, text_chars),
    facts: [actor, secondary, amount]
      .filter((line) => line !== undefined)
      .map((line) => cut(line, text_chars)),
    event_time,
    actor,
    href: formatRecordPage(view.record),
  };
}

/** The bytes that a page has room for, and how long the texts of its rows may be: shorter ones where they take more. */
const [ROWS_BYTES, SHORTER_CHARS] = [17_000, [80, 40, 20]];

/** Renders records as the rows of a page. */
export function renderRows(records: readonly OutgoingRecord[]): readonly Html[] {
  let rows = records.map((record) => renderRow(record));
  for (const text_chars of SHORTER_CHARS) {
    if (Buffer.byteLength(rows.join("")) <= ROWS_BYTES) break;
    rows = records.map((record) => renderRow(record, text_chars));
  }
  return rows;
}

/** Renders a record as a row. */
export function renderRow(record: OutgoingRecord, text_chars = TEXT_CHARS): Html {
  const { title, snippet, facts, event_time, href } = describeRow(record, text_chars);
  return html`<li data-item><div><a href="${href}" dir="auto">${title}</a>
${when(snippet, (text) => html`<p class="snippet" dir="auto">${text}</p>`)}</div>
<span class="small row-facts" dir="auto">${when(event_time, (time) => html`${renderTime(time)}`)}${facts.map((fact) => html`<span>${fact}</span>`)}</span></li>`;
}
