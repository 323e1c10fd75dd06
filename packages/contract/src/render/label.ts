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

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/**
 * Puts the day of the week before an ISO time, by its written date: people say "last Friday". Other times stay as they
 * are.
 */
export function renderWeekday(time: string): string {
  const day = new Date(/^\d{4}-\d\d-\d\d(?!\d)/.exec(time)?.[0] ?? "").getUTCDay();
  return Number.isNaN(day) ? time : `${DAYS[day]} ${time}`;
}
