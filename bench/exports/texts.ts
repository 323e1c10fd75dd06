import { type BenchRecord, createRecords } from "../corpus.ts";

/** Texts of about `size` characters each, until they have the requested bytes together. */
export function* createTexts(bytes: number, size?: number): Generator<BenchRecord> {
  let written = 0;
  for (const text of createRecords(Number.MAX_SAFE_INTEGER, size)) {
    if (written >= bytes) return;
    yield text;
    written += text.subject.length + text.body.length;
  }
}

/** Groups items into lists of `count`; the last may have fewer. */
export function* inGroups<T>(things: Iterable<T>, count: number): Generator<T[]> {
  let group: T[] = [];
  for (const thing of things) {
    group.push(thing);
    if (group.length === count) {
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}

/** The number of a text, from 0. */
export function numberOf({ id }: Pick<BenchRecord, "id">): number {
  return Number(id.slice(1));
}

/** A text's time in seconds since the epoch. */
export function secondsOf({ sent_at }: Pick<BenchRecord, "sent_at">): number {
  return Date.parse(sent_at) / 1000;
}
