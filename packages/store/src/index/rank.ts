/**
 * Scores: BM25 over fields, with numbers that come only from what the scope covers (R17). The average length is a
 * constant, so that no hidden text can move it. A steep idf lets common words count next to nothing without a list of them.
 */
const K1 = 0.5;
const B = 0.3;
const AVERAGE_LENGTH = 100;
/** Beyond this, a field's length no longer takes weight from its words: a book with the word is still an answer. */
const LONGEST = 2_000;
const IDF_POWER = 1.5;

/** How much a clause counts that `matching` of `total` documents have. */
export function computeWeight(matching: number, total: number): number {
  return Math.log(1 + (total - matching + 0.5) / (matching + 0.5)) ** IDF_POWER;
}

/** What divides the occurrences in a field of `length` terms. */
export function computeNorm(length: number): number {
  return 1 - B + (B * Math.min(length, LONGEST)) / AVERAGE_LENGTH;
}

/** What a clause of `weight` adds to the score of a document that has it `frequency` times. */
export function computeContribution(weight: number, frequency: number): number {
  return (weight * frequency * (K1 + 1)) / (frequency + K1);
}

/** More than a clause can ever add. */
export function boundContribution(weight: number): number {
  return weight * (K1 + 1);
}
