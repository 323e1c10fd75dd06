/**
 * What each clause of a query matches in the scope. Bare words match their inflected forms too. A wanted word that no
 * record in scope has widens: a compound to its words, a word to near spellings (R62, R63).
 */
import { countEdits, type Query, type QueryClause, type QueryPhrase, splitClause } from "@rungs/evidence";
import { compareTerms } from "../index/dictionary.ts";
import { type ClauseMatches, matchClauses } from "../index/match.ts";
import { computeWeight } from "../index/rank.ts";
import type { RankingParts } from "../store.ts";
import { countTerms, expandClauses, listScopedTerms } from "./expand-terms.ts";
import type { ScopedIndex } from "./scoped-index.ts";
import { weighFrequency } from "./word-frequency.ts";

/** The weight of an occurrence of a near spelling. */
const NEAR_SPELLING_WEIGHT = 0.8;
/** The maximum number of edits, by minimum word length. */
const NEAR_SPELLINGS = [
  { chars: 8, edits: 2 },
  { chars: 4, edits: 1 },
] as const;
const MAX_NEAR_SPELLINGS = 8;
const DIGIT = /\p{N}/u;

/** A clause with what it matches in each index. */
export interface MatchedClause {
  readonly clause: QueryClause;
  /** The index of the clause in the original query. */
  readonly asked: number;
  readonly matches: readonly ClauseMatches[];
  /** How many records in scope match. */
  readonly count: number;
  /** How much a match counts: the rarer, in scope and in English, the more. The word itself keeps its weight beside forms that are more common. */
  readonly weight: number;
  /** How much a match by an inflected form counts. */
  readonly formWeight: number;
  /** Whether it stands for more terms than were searched. */
  readonly cut: boolean;
  /** What was searched instead, when no record has the word. */
  readonly widened?: readonly string[];
}

type MatchingParts = Pick<RankingParts, "near_spellings" | "word_frequency">;

/** Matches every clause in every index; wanted clauses that match nothing are replaced by what they widen to. */
export async function matchQuery(
  query: Query,
  indexes: readonly ScopedIndex[],
  parts: MatchingParts,
): Promise<MatchedClause[]> {
  const asked = query.clauses.map((clause, at) => ({ clause, asked: at }));
  const found = await matchAll(asked, indexes, parts);
  const settled: MatchedClause[] = [];
  for (const one of found) settled.push(...(await widenIfMissing(one, indexes, parts)));
  return settled;
}

async function widenIfMissing(
  one: MatchedClause,
  indexes: readonly ScopedIndex[],
  parts: MatchingParts,
): Promise<readonly MatchedClause[]> {
  if (one.count > 0 || one.clause.need !== "wanted") return [one];
  const [phrase] = one.clause.any as [QueryPhrase];
  if (phrase.terms.length > 1) {
    const words = splitClause(one.clause).map((clause) => ({ clause, asked: one.asked }));
    const matched = await matchAll(words, indexes, parts);
    const present = matched.filter(({ count }) => count > 0);
    return present.length === 0
      ? [one]
      : present.map((each) => ({ ...each, widened: present.map(({ clause }) => clause.text) }));
  }
  const near = parts.near_spellings ? await findNearSpellings(phrase, indexes) : [];
  if (near.length === 0) return [one];
  const any = near.map((term) => ({ terms: [term], prefix: false, inflected: false }));
  const [widened] = await matchAll(
    [{ clause: { ...one.clause, any }, asked: one.asked }],
    indexes,
    parts,
    NEAR_SPELLING_WEIGHT,
  );
  return widened ? [{ ...widened, widened: near }] : [one];
}

async function matchAll(
  clauses: readonly { readonly clause: QueryClause; readonly asked: number }[],
  indexes: readonly ScopedIndex[],
  { word_frequency }: MatchingParts,
  exactWeight = 1,
): Promise<MatchedClause[]> {
  const byIndex: ClauseMatches[][] = [];
  for (const index of indexes) {
    const expanded = await expandClauses(
      clauses.map(({ clause }) => clause),
      index,
      exactWeight,
    );
    const fields = index.fields.map(({ number }) => number);
    byIndex.push(await matchClauses({ ...index, fields }, expanded));
  }
  const total = indexes.reduce((sum, index) => sum + index.total, 0);
  return clauses.map(({ clause, asked }, at) => {
    const matches = byIndex.map((all) => all[at] as ClauseMatches);
    const count = matches.reduce((sum, one) => sum + one.count, 0);
    const exact = matches.reduce((sum, one) => sum + one.exactCount, 0);
    const share = word_frequency ? weighFrequency(clause) : 1;
    const formWeight = share * computeWeight(count, total);
    const weight = exact > 0 ? share * computeWeight(exact, total) : formWeight;
    return { clause, asked, matches, count, weight, formWeight, cut: matches.some(({ cut }) => cut) };
  });
}

/** The terms in scope with the fewest edits, the most frequent first. */
async function findNearSpellings(
  { terms: [term = ""], prefix }: QueryPhrase,
  indexes: readonly ScopedIndex[],
): Promise<string[]> {
  const length = Array.from(term).length;
  const most = NEAR_SPELLINGS.find(({ chars }) => length >= chars)?.edits;
  if (most === undefined || prefix || DIGIT.test(term)) return [];
  // Assumes that the first letter is right, or swapped with the second, or superfluous: otherwise the whole dictionary would be read.
  const prefixes = [...new Set(Array.from(term).slice(0, 2))];
  const near: { readonly index: ScopedIndex; readonly byEdits: string[][] }[] = [];
  for (const index of indexes) {
    const byEdits: string[][] = Array.from({ length: most + 1 }, () => []);
    for (const one of new Set((await listScopedTerms(index, prefixes)).flat())) {
      const edits = countEdits(term, one, most);
      if (edits <= most && !DIGIT.test(one)) byEdits[edits]?.push(one);
    }
    near.push({ index, byEdits });
  }
  for (let edits = 0; edits <= most; edits += 1) {
    const counts = new Map<string, number>();
    for (const { index, byEdits } of near) {
      const own = (byEdits[edits] as string[]).sort(compareTerms);
      for (const { term: one, count } of await countTerms(index, own, index.expansion))
        counts.set(one, (counts.get(one) ?? 0) + count);
    }
    if (counts.size > 0)
      return Array.from(counts)
        .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
        .slice(0, MAX_NEAR_SPELLINGS)
        .map(([one]) => one);
  }
  return [];
}

/** Whether a clause counts for scores: it is not excluded, and some record has it. */
export function isScored({ clause, count }: MatchedClause): boolean {
  return clause.need !== "excluded" && count > 0;
}
