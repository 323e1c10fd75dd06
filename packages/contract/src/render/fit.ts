/** Fits an answer into its budget: shortens every part first, then drops parts, and says so (R14). */
import { countBytes } from "@rungs/evidence";

/** The least and the most detail to show. */
export interface DetailRange {
  readonly least: number;
  readonly most: number;
}

/** Renders with nearly the most detail that fits; undefined if even the least does not fit. */
export function renderMost(
  budget_bytes: number,
  range: DetailRange,
  render: (detail: number) => string,
): string | undefined {
  const detail = findMostDetail(range, (each) => countBytes(render(each)) <= budget_bytes);
  return detail === undefined ? undefined : render(detail);
}

/** Nearly the most detail that fits, by bisection; undefined if even the least does not fit. */
export function findMostDetail(
  { least, most }: DetailRange,
  isWithin: (detail: number) => boolean,
): number | undefined {
  if (isWithin(most)) return most;
  if (!isWithin(least)) return undefined;
  let [fits, tooMuch] = [least, most];
  while (tooMuch - fits > 1) {
    const detail = (fits + tooMuch) >> 1;
    if (isWithin(detail)) fits = detail;
    else tooMuch = detail;
  }
  return fits;
}

/** Renders as many of `count` parts as fit; if none fits, the whole lines of the frame that do. */
export function renderFewer(budget_bytes: number, count: number, render: (shown: number) => string): string {
  for (let shown = count; shown > 0; shown -= 1) {
    const text = render(shown);
    if (countBytes(text) <= budget_bytes) return text;
  }
  return keepLines(render(0), budget_bytes);
}

/** Keeps the first lines of `text` that fit; never breaks a line. */
export function keepLines(text: string, budget_bytes: number): string {
  let end = 0;
  let bytes = 0;
  for (const line of text.split("\n")) {
    bytes += countBytes(line) + 1;
    if (bytes - 1 > budget_bytes) break;
    end += line.length + 1;
  }
  return text.slice(0, Math.max(0, end - 1));
}
