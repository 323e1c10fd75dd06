/** Which terms are near spellings of a word that was not found (R63). */
import { countEdits, type FormFinder, type Query, type QueryPhrase } from "@rungs/evidence";
import { isCommonWord } from "../vectors/word-vectors.ts";

/** The maximum number of edits, by minimum word length. */
const NEAR_SPELLINGS = [
  { chars: 8, edits: 2 },
  { chars: 4, edits: 1 },
] as const;
const DIGIT = /\p{N}/u;

/** How many edits a term may be away from a word; 0 for a word that does not widen: a short or common one, or one with digits. */
export function limitEdits(word: string): number {
  if (DIGIT.test(word) || isCommonWord(word)) return 0;
  const length = Array.from(word).length;
  return NEAR_SPELLINGS.find(({ chars }) => length >= chars)?.edits ?? 0;
}

/**
 * The prefixes of near spellings: the first letter must be right, swapped with the second, or superfluous. Otherwise
 * every search would scan the whole dictionary.
 */
export function listNearPrefixes(word: string): string[] {
  return [...new Set(Array.from(word).slice(0, 2))];
}

/** By how many edits a term differs from a word; more than `most` for one that is not a near spelling. */
export function countNearEdits(term: string, word: string, most: number): number {
  return DIGIT.test(term) ? most + 1 : countEdits(word, term, most);
}

/** The words of a query that may widen; undefined if there are none. */
export function findWideningWords({ clauses }: Query): Query | undefined {
  const widening = clauses.filter(({ need, any }) => need === "wanted" && any.some(isWidening));
  return widening.length === 0 ? undefined : { clauses: widening };
}

function isWidening({ terms, inflected }: QueryPhrase): boolean {
  return inflected && limitEdits(terms[0] as string) > 0;
}

/** Finds near spellings as if they were forms, for matching inside one text. */
export const nearForms: FormFinder = {
  listPrefixes: listNearPrefixes,
  isForm: (term, word) => {
    const most = limitEdits(word);
    return most > 0 && term !== word && hasNearStart(term, word) && countNearEdits(term, word, most) <= most;
  },
};

function hasNearStart(term: string, word: string): boolean {
  return listNearPrefixes(word).some((prefix) => term.startsWith(prefix));
}
