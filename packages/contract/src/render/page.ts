import {
  type Card,
  type Continuation,
  countChars,
  type FieldView,
  foldToLine,
  openRecord,
  type RecordView,
  shareOut,
  shrinkFieldView,
  sliceChars,
} from "@rungs/evidence";
import { renderFewer, renderMost } from "./fit.ts";
import type { RenderOptions } from "./options.ts";

/** Renders a page of records: each by its whole id, with one bounded line, and a call where the line leaves something out (R35). */

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
/** A field this short stays whole: the call that reads it would be longer. */
const WHOLE_FIELD_CHARS = 60;
/** The overhead of a field besides its name and its text. */
const FIELD_CHARS = 5;
/** The further overhead of a cut field: its range. */
const RANGE_CHARS = 25;
/** How much of a very wide record fits on its line; the record's call shows the other fields. */
const NAMED_CHARS = 1_200;
/** The longest line as a multiple of its text: a short line names only the first fields. */
const NAMED_SHARE = 8;
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

function renderRow({ view }: PageRecord, line_chars: number, { write }: RenderOptions): string {
  const { id, record_id } = view.record;
  // The id has the key already.
  const fields = view.fields.filter(({ preview, size_chars }) => preview !== record_id || size_chars === 0);
  const { line, calls } = renderFieldLine(id, fields, line_chars);
  return [id, ...(line === "" ? [] : [`  ${line}`]), ...calls.map((call) => `  read: ${write(call)}`)].join(
    "\n",
  );
}

/**
 * Renders fields on one line; one long field does not crowd out the others. Each cut field shows its range; the first
 * has a call that reads it, and if more is cut, another call shows the whole record, unless the id is very long.
 */
export function renderFieldLine(
  id: string,
  all: readonly FieldView[],
  line_chars: number,
): { readonly line: string; readonly calls: readonly Continuation[] } {
  const fields = takeNamed(all, Math.min(NAMED_CHARS, NAMED_SHARE * line_chars));
  const left = all.length - fields.length;
  const isWide = takeNamed(all, NAMED_CHARS).length < all.length;
  const names = fields.map(({ path }) => countChars(path) + FIELD_CHARS);
  const wanted = fields.map(({ preview }, at) => countChars(preview) + (names[at] as number));
  const shares = shareOut(wanted, line_chars);
  const shown = fields.map((field, at) =>
    countChars(field.preview) <= WHOLE_FIELD_CHARS
      ? field
      : shrinkFieldView(
          field,
          id,
          Math.max(LEAST_FIELD_CHARS, (shares[at] as number) - (names[at] as number)),
          countChars,
        ),
  );
  const [first, ...others] = shown.filter(({ status }) => status !== "complete");
  const read: Continuation[] =
    first && !first.binary ? [{ operation: "read_record_field", args: { id, field_path: first.path } }] : [];
  const { open: whole } = openRecord(id);
  return {
    line: [...shown.map(renderBriefly), ...(left === 0 ? [] : [`and ${left} more fields`])].join(SEPARATOR),
    calls: whole && (others.length > 0 || isWide || first?.binary) ? [...read, whole] : read,
  };
}

/** The first fields whose names and shortest previews fit on a line; at least one. */
function takeNamed(fields: readonly FieldView[], named_chars: number): readonly FieldView[] {
  let left = named_chars;
  const past = fields.findIndex(({ path }, at) => {
    left -= countChars(path) + FIELD_CHARS + LEAST_FIELD_CHARS + RANGE_CHARS;
    return left < 0 && at > 0;
  });
  return past < 0 ? fields : fields.slice(0, past);
}

function renderBriefly({ path, preview, size_chars, status, binary }: FieldView): string {
  const name = foldToLine(path);
  if (binary) return `${name}: (${binary.mime_type}, ${binary.size_bytes} bytes)`;
  const text = foldToLine(preview).trim();
  if (status === "complete") return `${name}: ${text}`;
  const range = size_chars === undefined ? "a part" : `0-${countChars(preview)} of ${size_chars} chars`;
  return `${name} (${range}): ${text}…`;
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
  const { open } = openRecord(records[0]?.view.record.id);
  if (open) lines.push(`whole record: ${write(open)}`);
  const more = dropped > 0 && shown > 0 ? { limit: shown } : next_cursor && { cursor: next_cursor };
  if (more) lines.push(`more: ${write({ ...call, args: { ...call.args, ...more } })}`);
  return lines.join("\n");
}

/**
 * The beginning of a record's main text, on one line; undefined for a record without one. It distinguishes records with
 * the same title.
 */
export function renderSnippet({ view }: PageRecord, max_chars: number): string | undefined {
  const body = view.fields.find(({ role, preview }) => role === "body" && preview !== "");
  if (body === undefined) return undefined;
  const line = foldToLine(body.preview).replace(/\s+/g, " ").trim();
  const shown = sliceChars(line, 0, max_chars);
  return shown === line && body.status !== "truncated" ? line : `${shown}…`;
}
