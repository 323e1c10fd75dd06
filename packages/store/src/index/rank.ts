/**
 * Scores: BM25 over fields, with statistics of the scope's records only (R17). The average length is a constant, so that
 * no hidden text can change it. A steep idf makes common words count next to nothing without a stop word list.
 */
const K1 = 0.5;
const B = 0.4;
const AVERAGE_LENGTH = 100;
/** Length normalization ends here: a book that contains the word is still an answer. */
const LONGEST = 2_000;
const IDF_POWER = 1.5;

/** The least length normalization: that of an empty field. */
export const LEAST_NORM = 1 - B;
/** The weight of coverage: a document with all the words scores up to this many times more. */
const COORDINATION = 1;

/** The weight (idf) of a clause that `matching` of `total` documents match. */
export function computeWeight(matching: number, total: number): number {
  return Math.log(1 + (total - matching + 0.5) / (matching + 0.5)) ** IDF_POWER;
}

/** The length normalization of a field of `length` terms: divides its frequencies. */
export function computeNorm(length: number): number {
  return 1 - B + (B * Math.min(length, LONGEST)) / AVERAGE_LENGTH;
}

/** The contribution of a clause of `weight` to the score of a document that matches it `frequency` times. */
export function computeContribution(weight: number, frequency: number): number {
  return (weight * frequency * (K1 + 1)) / (frequency + K1);
}

/** An upper bound of what a clause can contribute. */
export function boundContribution(weight: number): number {
  return weight * (K1 + 1);
}

/** The score of a document whose clauses add up to `sum` and weigh `covered` of `total`. */
export function computeScore(sum: number, covered: number, total: number): number {
  return total === 0 ? 0 : sum * (1 + (COORDINATION * covered) / total);
}
