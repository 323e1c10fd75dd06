/**
 * Scores: BM25 over fields, with numbers that come only from what the scope covers (R17). The average length is a
 * constant, so that no hidden text can move it.
 */
import { lowerBound, type Postings } from "./reader.ts";

const K1 = 1.2;
const B = 0.75;
const AVERAGE_LENGTH = 100;

/** How much a clause counts that `matching` of `total` documents have. */
export function clauseWeight(matching: number, total: number): number {
  return Math.log(1 + (total - matching + 0.5) / (matching + 0.5));
}

/** What a field adds for a clause: its postings, its lengths at the same places as `docs`, and its weight. */
export interface FieldCounts {
  readonly postings: Postings;
  readonly lengths: readonly (number | null)[];
  readonly weight: number;
}

/** Adds the scores of a clause to `scores`, which stand at the same places as `docs`. */
export function addScores(scores: Float64Array, docs: readonly number[], fields: readonly FieldCounts[], clauseWeight: number): void {
  const frequencies = new Float64Array(docs.length);
  for (const { postings, lengths, weight } of fields) {
    let at = lowerBound(postings.docs, docs[0] ?? 0);
    for (let number = 0; number < docs.length; number += 1) {
      const doc = docs[number] as number;
      while (at < postings.docs.length && (postings.docs[at] as number) < doc) at += 1;
      if (postings.docs[at] !== doc) continue;
      const norm = 1 - B + (B * (lengths[number] ?? AVERAGE_LENGTH)) / AVERAGE_LENGTH;
      frequencies[number] = (frequencies[number] as number) + (weight * (postings.counts[at] as number)) / norm;
    }
  }
  for (let number = 0; number < docs.length; number += 1) {
    const frequency = frequencies[number] as number;
    scores[number] = (scores[number] as number) + (clauseWeight * frequency * (K1 + 1)) / (frequency + K1);
  }
}
