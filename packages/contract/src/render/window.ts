/** Renders a field window: one line of JSON, the text between fences, the adjacent windows as calls (R27, R28). */
import type { Continuation, FieldWindow } from "@rungs/evidence";
import { countHiddenChars, formatJsonLine } from "@rungs/evidence";
import { chooseFence, fenceText } from "./fence.ts";
import type { RenderOptions } from "./options.ts";

/** Renders the answer of `read_record_field`. */
export function renderWindowAnswer(answer: FieldWindow, _call: Continuation, options: RenderOptions): string {
  return renderWindow(answer, options);
}

/** Renders a window. Its text is never cut here: the window's limit bounds it, and a cut would contradict its range. */
export function renderWindow(
  answer: FieldWindow,
  { write, fence }: Omit<RenderOptions, "budget_bytes">,
): string {
  const { record, field, window } = answer;
  const { text, start_chars, end_chars, complete, match = null } = window;
  const { next_cursor = null, previous_cursor = null } = window;
  const hidden_chars = countHiddenChars(text);
  const header = formatJsonLine({
    id: record.id,
    field_path: field.path,
    start_chars,
    end_chars,
    size_chars: field.size_chars,
    complete,
    next_cursor,
    previous_cursor,
    match,
    // Characters invisible to people.
    ...(hidden_chars === 0 ? {} : { hidden_chars }),
  });
  const read = (cursor: string): Continuation => ({
    operation: "read_record_field",
    args: { id: record.id, field_path: field.path, cursor },
  });
  const lines = [header, fenceText(text, chooseFence(fence, [text])), `record: ${record.id}`];
  if (previous_cursor !== null) lines.push(`previous: ${write(read(previous_cursor))}`);
  if (next_cursor !== null) lines.push(`next: ${write(read(next_cursor))}`);
  if (complete) lines.push("This is the whole field.");
  return lines.join("\n");
}
