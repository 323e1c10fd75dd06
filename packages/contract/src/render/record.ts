/** Renders a record: its id, its labels, every field bounded (R30, R31, R33). */

import type { Continuation, RecordView } from "@rungs/evidence";
import { countBytes, type FieldView, parseFieldPath, shrinkFieldView } from "@rungs/evidence";
import { chooseFence } from "./fence.ts";
import { renderField } from "./field.ts";
import { renderFewer, renderMost } from "./fit.ts";
import { renderLabel, renderLabels } from "./label.ts";
import type { RenderOptions } from "./options.ts";

const LEAST_FIELD_BYTES = 40;
const LEFT_OUT_CHARS = 300;
const FIELDS_PER_CALL = 20;
const RELATED_CHARS = 60;

/** Renders a record; `labels` say where it comes from. Long fields get shorter before fields are left out. */
export function renderRecord(
  view: RecordView,
  labels: readonly (string | null | undefined)[],
  options: RenderOptions,
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

function renderLeftOut({ record, fields }: RecordView, shown: number, options: RenderOptions): string[] {
  const left = fields.slice(shown);
  if (left.length === 0) return [];
  const names = renderLabel(left.map((field) => field.path).join(", "), LEFT_OUT_CHARS);
  return [
    `${left.length} more fields did not fit here: ${names}`,
    ...renderFetches(record.id, chunk(topLevelNames(left), shown === 0 ? 1 : FIELDS_PER_CALL), options),
  ];
}

/** Renders calls that fetch the fields left out, in at most half of the text. */
function renderFetches(
  id: string,
  groups: readonly (readonly string[])[],
  { write, budget_bytes }: RenderOptions,
): string[] {
  const lines: string[] = [];
  let bytes = 0;
  for (const fields of groups) {
    const call: Continuation = { operation: "fetch", args: { id, fields: [...fields] } };
    const line = `more: ${write(call)}`;
    bytes += countBytes(line);
    if (lines.length > 0 && bytes > budget_bytes / 2) {
      lines.push(`the others in the same way; all names: ${write({ operation: "schema", args: {} })}`);
      break;
    }
    lines.push(line);
  }
  return lines;
}

function topLevelNames(fields: readonly FieldView[]): string[] {
  return [...new Set(fields.map(({ path }) => String(parseFieldPath(path)?.[0] ?? path)))];
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}
