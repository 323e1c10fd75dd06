/** Renders a record: its id, its labels, every field bounded (R30, R31, R33). */

import type { Continuation, RecordView } from "@rungs/evidence";
import { type FieldView, formatFieldPath, parseFieldPath, shrinkFieldView } from "@rungs/evidence";
import { chooseFence } from "./fence.ts";
import { renderField } from "./field.ts";
import { renderFewer, renderMost } from "./fit.ts";
import { renderLabel, renderLabels } from "./label.ts";
import type { RenderOptions } from "./options.ts";

const LEAST_FIELD_BYTES = 40;
const LEFT_OUT_CHARS = 300;
const RELATED_CHARS = 60;

/** The call that a record answers, besides: its projection goes on in the calls for more. */
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
  const compose = (shown: number, field_bytes: number) => {
    const fields = view.fields.slice(0, shown).map((field) => shrinkFieldView(field, id, field_bytes));
    const from = renderLabels(labels);
    return [
      id,
      ...(from === "" ? [] : [`  from: ${from}`]),
      ...fields.map((field) => renderField(field, { write, fence })),
      ...(view.related ?? []).map(({ name, read }) => `${renderLabel(name, RELATED_CHARS)}: ${write(read)}`),
      ...renderLeftOut(view, shown, options),
    ].join("\n");
  };
  const count = view.fields.length;
  const detail = { least: LEAST_FIELD_BYTES, most: Math.max(LEAST_FIELD_BYTES, budget_bytes) };
  return (
    renderMost(budget_bytes, detail, (bytes) => compose(count, bytes)) ??
    renderFewer(budget_bytes, count, (shown) => compose(shown, LEAST_FIELD_BYTES))
  );
}

/** Says which fields did not fit, and renders the call that shows them: page after page it leads to every field. */
function renderLeftOut(view: RecordView, shown: number, { write, call }: RecordOptions): string[] {
  const { record, fields } = view;
  const left = fields.slice(shown);
  if (left.length === 0) return [];
  const { id } = record;
  const names = renderLabel(left.map((field) => field.path).join(", "), LEFT_OUT_CHARS);
  const { last, partial } = findLastShown(fields, shown);
  const read: Continuation = { operation: "read_record_field", args: { id, field_path: partial ?? "" } };
  const more: Continuation = { operation: "fetch", args: { ...call?.args, id, after_field: last } };
  const isLast = last === topLevelName(left.at(-1)!);
  const lines = [`${left.length} more fields did not fit here: ${names}`];
  if (partial === undefined) return isLast ? lines : [...lines, `more: ${write(more)}`];
  // An id of which not even one field fits beside it is too long to be repeated twice.
  const rest = isLast ? [] : [`more: the same fetch with after_field=${JSON.stringify(last)}`];
  return [...lines, `read: ${write(read)}`, ...rest];
}

/** The last top-level field that is shown with all its parts or, if there is none, the first one, which is then `partial`. */
function findLastShown(fields: readonly FieldView[], shown: number): { last: string; partial?: string } {
  const names = fields.map(topLevelName);
  const end = names[shown - 1] === names[shown] ? names.indexOf(names[shown]!) : shown;
  return end > 0 ? { last: names[end - 1]! } : { last: names[0]!, partial: formatFieldPath([names[0]!]) };
}

function topLevelName({ path }: FieldView): string {
  return String(parseFieldPath(path)?.[0] ?? path);
}
