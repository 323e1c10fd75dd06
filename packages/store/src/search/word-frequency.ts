/**
 * How much a word tells by itself. A word that English texts are full of tells little, however rare it is in a small
 * scope: in a conversation of 400 turns, "where" is as rare as the place in question.
 */
import type { QueryClause } from "@rungs/evidence";
import { getWordVectors } from "../vectors/word-vectors.ts";

/** A word of this frequency in English counts half. */
const HALF_FREQUENCY = 3e-4;
/** Frequencies of English words fall with their rank: Zipf's law, with the sum over the words of the list. */
const ZIPF = 13.3;

/** Words of this rank and above are correct spellings: of misspellings only rarer ones are in the list. */
const KNOWN_WORDS = 4_000;

/** Whether a term is a common English word, and so not a misspelling of another. */
export function isCommonWord(term: string): boolean {
  const row = getWordVectors().table.find(term, 0, term.length);
  return row >= 0 && row < KNOWN_WORDS;
}

/** The share of its weight that a clause keeps: that of its most telling word; phrases and prefixes keep all. */
export function weighFrequency({ any }: QueryClause): number {
  return Math.max(...any.map(({ terms, prefix }) => (terms.length > 1 || prefix ? 1 : weighWord(terms[0]))));
}

function weighWord(term = ""): number {
  const row = getWordVectors().table.find(term, 0, term.length);
  if (row < 0) return 1;
  const frequency = 1 / (ZIPF * (row + 1));
  return HALF_FREQUENCY / (HALF_FREQUENCY + frequency);
}
