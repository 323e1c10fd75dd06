/** Renders one field of a record: on one line if it fits, otherwise between fences, with the call that reads on. */

import type { FieldView } from "@rungs/evidence";
import { countChars, countHiddenChars, foldToLine } from "@rungs/evidence";
import { fenceText } from "./fence.ts";
import type { RenderOptions } from "./options.ts";

const LINE_CHARS = 400;

/**
 * Renders a field. Complete text stays unchanged; only the prefix of a cut text may be folded to one line. The dash
 * keeps a field called `more` from imitating a line of the answer.
 */
export function renderField(field: FieldView, { write, fence }: Omit<RenderOptions, "budget_bytes">): string {
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

/** Counts the characters that people would not see. */
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
