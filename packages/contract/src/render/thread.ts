/** The records around a record in its thread as text: each with its author and text, then the calls for more (R66). */
import { type Continuation, countChars, type FieldView, foldToLine, shrinkFieldView } from "@rungs/evidence";
import { continueThread, type Thread } from "../operations/read-thread.ts";
import { renderFewer, renderMost } from "./fit.ts";
import { renderLabels, renderWeekday } from "./label.ts";
import type { RenderOptions } from "./options.ts";
import { type PageRecord, renderFieldLine } from "./page.ts";
import { presentRecord } from "./present-record.ts";

const PREVIEW_BYTES = 16_000;
const BODY_CHARS = { least: 24, most: 500 };

/** Renders a thread around its anchor; where not all records fit, the nearest ones stay. */
export function renderThread(thread: Thread, call: Continuation, options: RenderOptions): string {
  const records = thread.data.map((record) => presentRecord(record, PREVIEW_BYTES));
  const at = Math.max(
    0,
    thread.data.findIndex(({ handle }) => handle === thread.anchor),
  );
  const compose = (shown: number, body_chars: number) => {
    const { start, end } = chooseNearest(records.length, at, Math.max(1, shown));
    const rows = records
      .slice(start, shown === 0 ? start : end)
      .map((record, row) => renderRow(record, start + row === at, body_chars, options));
    return [...rows, renderFoot(thread, { start, end }, call, options)].join("\n\n");
  };
  const { budget_bytes } = options;
  return (
    renderMost(budget_bytes, BODY_CHARS, (chars) => compose(records.length, chars)) ??
    renderFewer(budget_bytes, records.length, (shown) => compose(shown, BODY_CHARS.least))
  );
}

/** The range of `shown` of `count` records around the one at `at`, as even on both sides as there are records. */
export function chooseNearest(count: number, at: number, shown: number): { start: number; end: number } {
  const ideal = at - Math.floor((shown - 1) / 2);
  const start = Math.max(0, Math.min(ideal, count - shown));
  return { start, end: Math.min(count, start + shown) };
}

function renderRow(
  { view, card }: PageRecord,
  isAnchor: boolean,
  body_chars: number,
  { write }: RenderOptions,
): string {
  const { id } = view.record;
  const labels = renderLabels([card.event_time && renderWeekday(card.event_time), card.actor, card.title]);
  const body = view.fields.find(({ path, binary }) => path === card.body_field && !binary);
  const text = body
    ? renderBody(id, body, body_chars, write)
    : renderFields(id, view.fields, body_chars, write);
  return [isAnchor ? `${id}  (asked for)` : id, ...(labels === "" ? [] : [`  ${labels}`]), ...text].join(
    "\n",
  );
}

function renderFields(
  id: string,
  fields: readonly FieldView[],
  line_chars: number,
  write: RenderOptions["write"],
): string[] {
  const { line, calls } = renderFieldLine(id, fields, line_chars);
  return [`  ${line}`, ...calls.map((call) => `  read: ${write(call)}`)];
}

/** A body on one line, and the call that reads on where it has more. */
function renderBody(
  id: string,
  body: FieldView,
  body_chars: number,
  write: RenderOptions["write"],
): string[] {
  const { path, preview, size_chars, status, next } = shrinkFieldView(body, id, body_chars, countChars);
  const isWhole = status === "complete";
  const range = isWhole ? "" : ` (0-${countChars(preview)} of ${size_chars} chars)`;
  const line = `  ${foldToLine(path)}${range}: ${foldToLine(preview).trim()}${isWhole ? "" : "…"}`;
  return next ? [line, `  read: ${write(next)}`] : [line];
}

function renderFoot(
  thread: Thread,
  { start, end }: { start: number; end: number },
  call: Continuation,
  { write }: RenderOptions,
): string {
  const { anchor, in_thread, data } = thread;
  const fetch = `The whole record: ${write({ operation: "fetch", args: { id: anchor } })}`;
  if (!in_thread) return `This record is in no thread that can be read here.\n${fetch}`;
  const dropped = data.length - (end - start);
  const [first, last] = [data[start], data[end - 1]];
  const lines = [
    `${end - start === 1 ? "1 record" : `${end - start} records`} of the thread, in the order of time${dropped > 0 ? `; ${dropped} more did not fit here` : ""}.`,
  ];
  const earlier =
    start === 0 ? thread.before : first && continueThread(first.handle, "before", call.args.before);
  const later =
    end === data.length ? thread.after : last && continueThread(last.handle, "after", call.args.after);
  lines.push(earlier ? `earlier: ${write(earlier)}` : "There are no earlier records in it.");
  lines.push(later ? `later: ${write(later)}` : "There are no later records in it.");
  return [...lines, fetch].join("\n");
}
