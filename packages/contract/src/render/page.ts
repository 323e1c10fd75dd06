/** Renders a page of records: each by its whole id, with one bounded line and the call that shows it (R35). */

import type { Card, Continuation, FieldView, RecordView } from "@rungs/evidence";
import { countChars, shareOut } from "@rungs/evidence";
import { renderFewer, renderMost } from "./fit.ts";
import { renderLabel, renderLabels } from "./label.ts";
import type { RenderOptions } from "./options.ts";

/** One record of a page: its view and, if roles are declared, its card. */
export interface PageRecord {
  readonly view: RecordView;
  readonly card: Card;
}

/** A page of records and the cursor to the next one. */
export interface RecordPage {
  readonly records: readonly PageRecord[];
  readonly has_more: boolean;
  readonly next_cursor?: string | null | undefined;
}

const LINE_CHARS = { least: 16, most: 600 };
const LEAST_FIELD_CHARS = 12;
const SHORT_CHARS = 80;
const SEPARATOR = " · ";

/** Renders a page of records; `call` is the call that it answers. */
export function renderPage(page: RecordPage, call: Continuation, options: RenderOptions): string {
  const compose = (shown: number, line_chars: number) =>
    [
      ...page.records.slice(0, shown).map((record) => renderRow(record, line_chars, options)),
      renderFoot(page, shown, call, options),
    ].join("\n\n");
  const { budget_bytes } = options;
  const count = page.records.length;
  return (
    renderMost(budget_bytes, LINE_CHARS, (chars) => compose(count, chars)) ??
    renderFewer(budget_bytes, count, (shown) => compose(shown, LINE_CHARS.least))
  );
}

function renderRow({ view, card }: PageRecord, line_chars: number, { write }: RenderOptions): string {
  const { id } = view.record;
  const labels = renderLabels([card.title, card.event_time, card.actor, card.secondary, card.amount]);
  const summary = labels === "" ? [] : [`  ${renderLabel(labels, line_chars)}`];
  const fetch = write({ operation: "fetch", args: { id } });
  return [id, ...summary, `  ${renderFieldLine(view.fields, line_chars)}`, `  read: ${fetch}`].join("\n");
}

/** Renders fields on one line; one long field does not crowd out the others. */
export function renderFieldLine(fields: readonly FieldView[], line_chars: number): string {
  const texts = fields.map(renderBriefly);
  const shares = shareOut(texts.map(countChars), line_chars - SEPARATOR.length * (texts.length - 1));
  const parts = texts.map((text, index) => renderLabel(text, Math.max(LEAST_FIELD_CHARS, shares[index]!)));
  return renderLabel(parts.join(SEPARATOR), line_chars);
}

function renderBriefly({ path, preview, size_chars, status, binary }: FieldView): string {
  if (binary) return `${path}: (${binary.mime_type}, ${binary.size_bytes} bytes)`;
  const isShort = status === "complete" && countChars(preview) <= SHORT_CHARS;
  const size = isShort || size_chars === undefined ? "" : ` (${size_chars} chars)`;
  return `${path}${size}: ${preview}${status === "complete" ? "" : "…"}`;
}

function renderFoot(
  { records, has_more, next_cursor }: RecordPage,
  shown: number,
  call: Continuation,
  { write }: RenderOptions,
): string {
  const dropped = records.length - shown;
  const end = has_more ? "there are more" : "the last page";
  const lines = [`${shown} shown, ${dropped > 0 ? `${dropped} more of this page did not fit here` : end}.`];
  const more = dropped > 0 && shown > 0 ? { limit: shown } : next_cursor && { cursor: next_cursor };
  if (more) lines.push(`more: ${write({ ...call, args: { ...call.args, ...more } })}`);
  return lines.join("\n");
}
