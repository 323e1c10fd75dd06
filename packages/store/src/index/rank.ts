/**
 * Scores: BM25 over fields, with numbers that come only from what the scope covers (R17). The average length is a
 * constant, so that no hidden text can move it.
 */
import type { Postings } from "./postings.ts";

const K1 = 1.2;
const B = 0.75;
const AVERAGE_LENGTH = 100;
/** Beyond this, a field's length no longer takes weight from its words: a book with the word is still an answer. */
const LONGEST = 2_000;

/** How much a clause counts that `matching` of `total` documents have. */
export function clauseWeight(matching: number, total: number): number {
  return Math.log(1 + (total - matching + 0.5) / (matching + 0.5));
}

/** What a field adds for a clause: its postings, its lengths at the same places as `docs`, and its weight. */
export interface FieldCounts {
  readonly postings: Postings;
  readonly lengths: Float64Array;
  readonly weight: number;
}

/** Adds the scores of a clause to `scores`, which stand at the same places as `docs`. */
export function addScores(
  scores: Float64Array,
  docs: Uint32Array,
  fields: readonly FieldCounts[],
  clauseWeight: number,
): void {
  const frequencies = new Float64Array(docs.length);
  for (const { postings, lengths, weight } of fields) {
    const { docs: found, counts } = postings;
    for (let number = 0, at = 0; number < docs.length && at < found.length; ) {
      const difference = (found[at] as number) - (docs[number] as number);
      if (difference === 0) {
        const norm = 1 - B + (B * Math.min(lengths[number] as number, LONGEST)) / AVERAGE_LENGTH;
        frequencies[number]! += (weight * (counts[at] as number)) / norm;
      }
      if (difference <= 0) at += 1;
      if (difference >= 0) number += 1;
    }
  }
  for (let number = 0; number < docs.length; number += 1) {
    const frequency = frequencies[number] as number;
    scores[number]! += (clauseWeight * frequency * (K1 + 1)) / (frequency + K1);
  }
}
