import { REJECTIONS_MAX } from "@rungs/contract";
import type { IngestOutcome } from "@rungs/store";

/** The place of a line in a body. */
export type LinePlace = { readonly line: number };

/** The place of an item in a person's files, as text. */
export type ItemPlace = { readonly place: string };

/** A rejected item: its place and the reason. */
export type Rejection<Place = LinePlace> = Place & {
  readonly code: string;
  readonly message: string;
  readonly param?: string;
};

/** The outcomes of incoming records. */
export interface Tally<Place = LinePlace> {
  added: number;
  changed: number;
  unchanged: number;
  deleted: number;
  rejected: number;
  /** The first `REJECTIONS_MAX` of them. */
  readonly rejections: Rejection<Place>[];
}

export function createTally<Place = LinePlace>(): Tally<Place> {
  return { added: 0, changed: 0, unchanged: 0, deleted: 0, rejected: 0, rejections: [] };
}

/** Counts the outcome of the record at a place; returns the rejection if there was one. */
export function countOutcome<Place>(
  tally: Tally<Place>,
  place: Place,
  outcome: IngestOutcome,
): Rejection<Place> | undefined {
  tally[outcome.status] += 1;
  if (outcome.status !== "rejected") return undefined;
  const { code, message, param } = outcome;
  const rejection = { ...place, code, message, ...(param === undefined ? {} : { param }) };
  if (tally.rejections.length < REJECTIONS_MAX) tally.rejections.push(rejection);
  return rejection;
}
