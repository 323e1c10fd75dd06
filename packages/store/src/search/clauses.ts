/**
 * What each clause of a query matches in the scope. Bare words match their inflected forms too. A wanted word that no
 * record in scope has widens: a compound to its words, a word to near spellings (R62, R63).
 */
import { type Query, type QueryClause, type QueryPhrase, splitClause } from "@rungs/evidence";
import { compareTerms } from "../index/dictionary.ts";
import { type ClauseMatches, matchClauses } from "../index/match.ts";
import { computeWeight } from "../index/rank.ts";
import type { RankingParts } from "../store.ts";
import { countTerms, expandClauses, listScopedTerms } from "./expand-terms.ts";
import { countNearEdits, limitEdits, listNearPrefixes } from "./near-spellings.ts";
import type { ScopedIndex } from "./scoped-index.ts";
import { weighFrequency } from "./word-frequency.ts";

/** The weight of an occurrence of a near spelling. */
const NEAR_SPELLING_WEIGHT = 0.8;
const MAX_NEAR_SPELLINGS = 8;
/** A word is light if it weighs less than this share of the query's heaviest word. */
const LIGHT_SHARE = 0.2;
/** A word that no record has is light if English is so full of it that it keeps less than this share of its weight. */
const ABSENT_SHARE = 0.5;

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
  /** Whether the query's other words decide: it is neither shown as evidence nor missed where it is absent. */
  readonly isLight: boolean;
  /** Whether it stands for more terms than were searched. */
  readonly cut: boolean;
  /** What was searched instead, when no record has the word. */
  readonly widened?: readonly string[];
}

type WeighedClause = Omit<MatchedClause, "isLight">;

type MatchingParts = Pick<RankingParts, "near_spellings" | "word_frequency">;

/** Matches every clause in every index; wanted clauses that match nothing are replaced by what they widen to. */
export async function matchQuery(
  query: Query,
  indexes: readonly ScopedIndex[],
  parts: MatchingParts,
): Promise<MatchedClause[]> {
  const asked = query.clauses.map((clause, at) => ({ clause, asked: at }));
  const found = await matchAll(asked, indexes, parts);
  const settled: WeighedClause[] = [];
  for (const one of found) settled.push(...(await widenIfMissing(one, indexes, parts)));
  const heaviest = Math.max(0, ...settled.filter(isScored).map(({ weight }) => weight));
  return settled.map((one) => ({ ...one, isLight: isLight(one, heaviest, parts) }));
}

function isLight({ clause, count, weight }: WeighedClause, heaviest: number, parts: MatchingParts): boolean {
  if (clause.need !== "wanted") return false;
  if (count > 0) return weight < LIGHT_SHARE * heaviest;
  return parts.word_frequency && weighFrequency(clause) < ABSENT_SHARE && weight < heaviest;
}

async function widenIfMissing(
  one: WeighedClause,
  indexes: readonly ScopedIndex[],
  parts: MatchingParts,
): Promise<readonly WeighedClause[]> {
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
): Promise<WeighedClause[]> {
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
  const most = limitEdits(term);
  if (most === 0 || prefix) return [];
  const near: { readonly index: ScopedIndex; readonly byEdits: string[][] }[] = [];
  for (const index of indexes) {
    const byEdits: string[][] = Array.from({ length: most + 1 }, () => []);
    for (const one of new Set((await listScopedTerms(index, listNearPrefixes(term))).flat()))
      byEdits[countNearEdits(one, term, most)]?.push(one);
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
export function isScored({ clause, count }: Pick<MatchedClause, "clause" | "count">): boolean {
  return clause.need !== "excluded" && count > 0;
}
