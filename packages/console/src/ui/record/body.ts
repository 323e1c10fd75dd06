/** The main text of a record, with quoted parts folded. */
import { splitQuotes } from "@rungs/contract";
import type { FieldView, RecordIdentity } from "@rungs/evidence";
import { type Html, html } from "../html.ts";
import { formatCount } from "../words.ts";
import { renderReadOn } from "./fields.ts";

/** A shorter quotation stays open. */
const FOLDED_LINES = 3;

/** Renders the body of a record; a cut one has a link that reads on. */
export function renderBody(record: RecordIdentity, field: FieldView): Html {
  const isCut = field.status === "truncated";
  const parts = splitQuotes(field.preview);
  // A body that only quotes would be empty.
  const isFolded = parts.length > 1;
  return html`<div class="body">${parts.map(({ text, is_quoted }) =>
    is_quoted ? renderQuote(text, isFolded) : html`<div class="text" dir="auto">${text}</div>`,
  )}${isCut ? html`<span class="small">…</span>` : ""}${renderReadOn(record, field)}</div>`;
}

function renderQuote(text: string, isFolded: boolean): Html {
  const lines = text.trimEnd().split("\n").length;
  const quote = html`<blockquote class="text" dir="auto">${text}</blockquote>`;
  if (!isFolded || lines <= FOLDED_LINES) return quote;
  return html`<details class="quote"><summary>${formatCount(lines, "quoted line")}</summary>${quote}</details>`;
}
