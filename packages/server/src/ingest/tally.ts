import { type Operations, type OutputOf, REJECTIONS_MAX } from "@rungs/contract";
import type { IngestOutcome } from "@rungs/store";

/** A line that was not taken, and why. */
export type Rejection = OutputOf<Operations["ingest"]>["rejections"][number];

/** What became of the records of a body. */
export interface Tally {
  added: number;
  changed: number;
  unchanged: number;
  deleted: number;
  rejected: number;
  /** The first of them. */
  readonly rejections: Rejection[];
}

/** A tally of nothing. */
export function createTally(): Tally {
  return { added: 0, changed: 0, unchanged: 0, deleted: 0, rejected: 0, rejections: [] };
}

/** Counts what became of the record on a line. */
export function countOutcome(tally: Tally, line: number, outcome: IngestOutcome): void {
  tally[outcome.status] += 1;
  if (outcome.status !== "rejected" || tally.rejections.length >= REJECTIONS_MAX) return;
  const { code, message, param } = outcome;
  tally.rejections.push({ line, code, message, ...(param === undefined ? {} : { param }) });
}
