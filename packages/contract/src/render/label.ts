import { countChars, foldToLine, sliceChars } from "@rungs/evidence";

const LABEL_CHARS = 120;

/** Renders source labels on one line, without the missing ones (R16). */
export function renderLabels(labels: readonly (string | null | undefined)[]): string {
  return labels.flatMap((label) => (label ? [renderLabel(label)] : [])).join(" · ");
}

/** Folds a text to one line of at most `max_chars`. */
export function renderLabel(text: string, max_chars = LABEL_CHARS): string {
  const line = foldToLine(text).trim();
  return countChars(line) <= max_chars ? line : `${sliceChars(line, 0, max_chars - 1)}…`;
}
