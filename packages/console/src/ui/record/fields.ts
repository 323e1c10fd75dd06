/** The remaining fields of a record: a name and a value each, with links to cut text. */
import { listValueLines } from "@rungs/contract";
import type { Continuation, FieldView, RecordIdentity } from "@rungs/evidence";
import { type Html, html, when } from "../html.ts";
import { fieldPage } from "../links.ts";
import { formatCount, renderTime } from "../words.ts";
import { renderFile } from "./file.ts";

/** A text longer than this gets a link to search within it; a shorter one is faster to scan by eye. */
const LONG_CHARS = 4000;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Renders fields as a list of names and values. */
export function renderFields(record: RecordIdentity, fields: readonly FieldView[]): Html | string {
  if (fields.length === 0) return "";
  return html`<dl class="fields">${fields.map((field) => renderFieldRow(record, field))}</dl>`;
}

/** Renders the name and the value of a field. */
export function renderFieldRow(record: RecordIdentity, field: FieldView): Html {
  return html`<div><dt>${formatFieldName(field.path)}</dt><dd>${renderFieldValue(record, field)}</dd></div>`;
}

/** Renders the value of a field: a file, a time, the lines of a list, or text, with a link to the rest. */
export function renderFieldValue(record: RecordIdentity, field: FieldView): Html {
  if (field.binary) return renderFile(field);
  return html`${renderText(field)}${renderReadOn(record, field)}`;
}

/** The link to the rest of a cut value, or to a search within a long one (R31, R32). */
export function renderReadOn(record: RecordIdentity, field: FieldView): Html | string {
  const { path, status, size_chars } = field;
  const isCut = status === "truncated";
  if (!isCut && (size_chars ?? 0) <= LONG_CHARS) return "";
  const link = isCut
    ? html`<a href="${formatNextWindow(record, field)}">Read on in ${formatFieldName(path)}</a>`
    : html`<a href="${fieldPage(record, path)}">Find in ${formatFieldName(path)}</a>`;
  return html`<p class="small">${when(size_chars, (size) => html`${formatCount(size, "character")} · `)}${link}</p>`;
}

/** Writes a field's name as words. */
export function formatFieldName(path: string): string {
  return path.replaceAll("_", " ");
}

function renderText({ kind, status, preview }: FieldView): Html {
  const isCut = status === "truncated";
  if (!isCut && TIME.test(preview)) return html`<p>${renderTime(preview)}</p>`;
  const found = kind === "json" && !isCut ? listValueLines(preview) : undefined;
  if (found === undefined) return html`<p class="text" dir="auto">${preview}${isCut ? "…" : ""}</p>`;
  return html`<ul class="value">${found.lines.map(
    ({ name, text, depth }) =>
      html`<li class="depth${depth}" dir="auto">${when(name, (label) => html`<span class="small">${formatFieldName(label)}</span> `)}<span class="text">${text}</span></li>`,
  )}</ul>${when(found.left_out > 0, () => html`<p class="small">and ${formatCount(found.left_out, "more line", "more lines")}</p>`)}`;
}

function formatNextWindow(record: RecordIdentity, { path, next }: FieldView): string {
  const { field_path = path, offset_chars } = (next as Continuation | undefined)?.args ?? {};
  return fieldPage(record, String(field_path), {
    offset_chars: offset_chars === undefined ? undefined : Number(offset_chars),
  });
}
