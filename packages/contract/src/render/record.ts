/** Renders a record: its id, its labels, every field bounded (R30, R31, R33). */

import {
  type Continuation,
  countChars,
  countHiddenChars,
  type FieldView,
  foldToLine,
  formatFieldPath,
  parseFieldPath,
  type RecordView,
  shrinkFieldView,
} from "@rungs/evidence";
import { chooseFence, fenceText } from "./fence.ts";
import { renderFewer, renderMost } from "./fit.ts";
import { renderLabel, renderLabels } from "./label.ts";
import type { RenderOptions } from "./options.ts";

const LEAST_FIELD_BYTES = 40;
const LEFT_OUT_CHARS = 300;
const RELATED_CHARS = 60;
/** A value up to this length is on the line of its name. */
const LINE_CHARS = 400;

/** Also the call that the record answers: calls for more keep its projection. */
interface RecordOptions extends RenderOptions {
  readonly call?: Continuation | undefined;
}

/** Renders a record; `labels` say where it comes from. Long fields get shorter before fields are left out. */
export function renderRecord(
  view: RecordView,
  labels: readonly (string | null | undefined)[],
  options: RecordOptions,
): string {
  const { id } = view.record;
  const { write, budget_bytes } = options;
  const fence = chooseFence(
    options.fence,
    view.fields.map((field) => field.preview),
  );
  const renderFields = (field_bytes: number) =>
    view.fields.map((field) => renderField(shrinkFieldView(field, id, field_bytes), { write, fence }));
  const names = view.fields.map(topLevelName);
  const from = renderLabels(labels);
  const compose = (fields: readonly string[]) =>
    [
      id,
      ...(from === "" ? [] : [`  from: ${from}`]),
      ...fields,
      ...(view.related ?? []).map(({ name, read }) => `${renderLabel(name, RELATED_CHARS)}: ${write(read)}`),
      ...renderLeftOut(view, { names, shown: fields.length }, options),
    ].join("\n");
  const detail = { least: LEAST_FIELD_BYTES, most: Math.max(LEAST_FIELD_BYTES, budget_bytes) };
  const most = renderMost(budget_bytes, detail, (bytes) => compose(renderFields(bytes)));
  if (most !== undefined) return most;
  const fields = renderFields(LEAST_FIELD_BYTES);
  return renderFewer(budget_bytes, fields.length, (shown) => compose(fields.slice(0, shown)));
}

/** The top-level names of a record's fields, and how many of them are shown. */
interface Shown {
  readonly names: readonly string[];
  readonly shown: number;
}

/** Says which fields did not fit, and renders the call that shows them: page after page it leads to every field. */
function renderLeftOut(
  { record, fields }: RecordView,
  { names, shown }: Shown,
  { write, call }: RecordOptions,
): string[] {
  const left = fields.slice(shown);
  if (left.length === 0) return [];
  const { id } = record;
  // More paths than these would not fit.
  const paths = left.slice(0, LEFT_OUT_CHARS).map((field) => field.path);
  const label = renderLabel(paths.join(", "), LEFT_OUT_CHARS);
  const { last, partial } = findLastShown({ names, shown });
  const read: Continuation = { operation: "read_record_field", args: { id, field_path: partial ?? "" } };
  const more: Continuation = { operation: "fetch", args: { ...call?.args, id, after_field: last } };
  const isLast = last === names.at(-1);
  const lines = [`${left.length} more fields did not fit here: ${label}`];
  if (partial === undefined) return isLast ? lines : [...lines, `more: ${write(more)}`];
  // If not even one field fits beside the id, the id is too long to repeat twice.
  const rest = isLast ? [] : [`more: the same fetch with after_field=${JSON.stringify(last)}`];
  return [...lines, `read: ${write(read)}`, ...rest];
}

/** The last top-level field that is shown with all its parts or, if there is none, the first one, which is then `partial`. */
function findLastShown({ names, shown }: Shown): { last: string; partial?: string } {
  const end = names[shown - 1] === names[shown] ? names.indexOf(names[shown]!) : shown;
  return end > 0 ? { last: names[end - 1]! } : { last: names[0]!, partial: formatFieldPath([names[0]!]) };
}

function topLevelName({ path }: FieldView): string {
  return String(parseFieldPath(path)?.[0] ?? path);
}

/**
 * Renders a field. Complete text stays unchanged; only the prefix of a cut text may be folded to one line. The dash
 * keeps a field called `more` from imitating a line of the answer.
 */
function renderField(field: FieldView, { write, fence }: Omit<RenderOptions, "budget_bytes">): string {
  const name = `- ${foldToLine(field.path)}${describe(field)}${describeHidden(field)}:`;
  const lines = [renderBody(name, field, fence)];
  if (field.next) lines.push(`  read on: ${write(field.next)}`);
  return lines.join("\n");
}

/** Describes the kind of a field and how much of it is shown; empty for a complete value. */
function describe({ kind, status, preview, mime_type, size_chars, binary }: FieldView): string {
  if (binary) {
    const digest = binary.sha256 === undefined ? "" : `, sha256 ${foldToLine(binary.sha256)}`;
    return ` (binary, ${foldToLine(binary.mime_type)}, ${binary.size_bytes} bytes${digest})`;
  }
  if (status === "complete") return "";
  const type = mime_type === undefined ? kind : foldToLine(mime_type);
  const total = size_chars === undefined ? "" : ` of ${size_chars}`;
  return ` (${type}, first ${countChars(preview)}${total} chars)`;
}

/** Counts the characters invisible to people. */
function describeHidden({ preview, binary }: FieldView): string {
  const hidden = binary ? 0 : countHiddenChars(preview);
  return hidden === 0 ? "" : ` (hidden characters: ${hidden})`;
}

function renderBody(name: string, { preview, status, binary }: FieldView, fence: string): string {
  if (binary) return `${name} not shown`;
  const line = foldToLine(preview).trim();
  const isShort = countChars(line) <= LINE_CHARS;
  if (isShort && (status !== "complete" || line === preview))
    return `${name} ${line}${status === "complete" ? "" : "…"}`;
  return `${name}\n${fenceText(preview, fence)}`;
}
