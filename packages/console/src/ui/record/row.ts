/** A record as a row of a list: a title that tells it apart, who and when, and how its text begins. */
import {
  formatRecordPage,
  type OutgoingRecord,
  type PageRecord,
  presentRecord,
  renderSnippet,
} from "@rungs/contract";
import { type Html, html, when } from "../html.ts";
import { renderTime } from "../words.ts";

const PREVIEW_BYTES = 1200;
const SNIPPET_CHARS = 160;
const TITLE_CHARS = 90;

/** The texts of a row. */
export interface RowTexts {
  readonly title: string;
  readonly snippet: string | undefined;
  readonly facts: readonly string[];
  readonly event_time: string | undefined;
  readonly actor: string | undefined;
  readonly href: string;
}

/** What people know a record by: its title, else how its text begins, else its file, else its key. */
export function nameRecord(presented: PageRecord, max_chars: number): string {
  const { view, card } = presented;
  const { binary } = view.fields.find((field) => field.binary) ?? {};
  const file = binary?.filename ?? (binary && `Unnamed file, ${binary.mime_type}`);
  return card.title ?? renderSnippet(presented, max_chars) ?? file ?? view.record.record_id;
}

/** Describes a record as a row. Without a title, its text is its title. */
export function describeRow(record: OutgoingRecord): RowTexts {
  const presented = presentRecord(record, PREVIEW_BYTES);
  const { view, card } = presented;
  const { title, actor, secondary, amount, event_time } = card;
  return {
    title: nameRecord(presented, TITLE_CHARS),
    snippet: title === undefined ? undefined : renderSnippet(presented, SNIPPET_CHARS),
    facts: [actor, secondary, amount].filter((line) => line !== undefined),
    event_time,
    actor,
    href: formatRecordPage(view.record),
  };
}

/** Renders a record as a row. */
export function renderRow(record: OutgoingRecord): Html {
  const { title, snippet, facts, event_time, href } = describeRow(record);
  return html`<li data-item><div><a href="${href}" dir="auto">${title}</a>
${when(snippet, (text) => html`<p class="snippet" dir="auto">${text}</p>`)}</div>
<span class="small row-facts" dir="auto">${when(event_time, (time) => html`${renderTime(time)}`)}${facts.map((fact) => html`<span>${fact}</span>`)}</span></li>`;
}
