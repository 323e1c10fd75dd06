/**
 * Borders between grapheme clusters (what a reader sees as characters). Only a few units around the position are
 * examined, so the cost does not depend on the text's length; a longer cluster has no border here.
 */
import { isCharBorder } from "./code-points.ts";

/** How many UTF-16 units on each side of a cut are examined. */
export const LOOK_AROUND_UNITS = 64;

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Finds the last border at or before `unit` and after `floor`; undefined if none is near. */
export function findBorderBefore(text: string, unit: number, floor: number): number | undefined {
  if (unit >= text.length) return unit;
  const from = Math.max(floor, nearestCharBorder(text, unit - LOOK_AROUND_UNITS));
  const cluster = clusterAt(text, from, unit);
  const border = from + cluster.index;
  return border > from ? border : undefined;
}

/** Finds the first border at or after `unit` and before `ceiling`; undefined if none is near. */
export function findBorderAfter(text: string, unit: number, ceiling: number): number | undefined {
  if (unit <= 0 || unit >= text.length) return unit;
  const from = nearestCharBorder(text, unit - LOOK_AROUND_UNITS);
  const cluster = clusterAt(text, from, unit);
  if (from + cluster.index === unit) return unit;
  const border = from + cluster.index + cluster.segment.length;
  return border < ceiling && border < unit + LOOK_AROUND_UNITS ? border : undefined;
}

function clusterAt(text: string, from: number, unit: number): Intl.SegmentData {
  const near = text.slice(from, nearestCharBorder(text, unit + LOOK_AROUND_UNITS));
  return segmenter.segment(near).containing(unit - from)!;
}

function nearestCharBorder(text: string, unit: number): number {
  if (unit <= 0) return 0;
  return isCharBorder(text, unit) ? Math.min(unit, text.length) : unit + 1;
}
