/**
 * What each clause of a query matches in the scope. Bare words match their inflected forms too. A wanted word that no
 * record in scope has widens: a compound to its words, a word to near spellings (R62, R63).
 */
import { type Query, type QueryClause, type QueryPhrase, splitClause } from "@rungs/evidence";
import { DocSet } from "../index/doc-set.ts";
import { compareTerms } from "../index/keys.ts";
import {
  type ClauseMatches,
  computeWeight,
  createDocCounts,
  type IndexedClause,
  matchClauses,
} from "../index/match.ts";
import type { RankingParts } from "../store.ts";
import { discountByFrequency } from "../vectors/word-vectors.ts";
import { countNearEdits, limitEdits, listNearPrefixes } from "./near-spellings.ts";
import type { ScopedIndex } from "./scoped-index.ts";

/** The weight of an occurrence of a near spelling. */
const NEAR_SPELLING_WEIGHT = 0.8;
const MAX_NEAR_SPELLINGS = 8;
/** A word is light if it weighs less than this share of the query's heaviest word. */
const LIGHT_SHARE = 0.2;
/** A word that no record has is light if it is so frequent in English that it keeps less than this share of its weight. */
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
  /** Whether the query's other words decide: it is shown as evidence only if nothing else is, and never reported missing. */
  readonly isLight: boolean;
  /** Whether it expands to more terms than were searched. */
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
  return parts.word_frequency && discountByFrequency(clause) < ABSENT_SHARE && weight < heaviest;
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
  const counts = createDocCounts(clauses.length);
  for (const index of indexes) {
    const expanded = await expandClauses(
      clauses.map(({ clause }) => clause),
      index,
      exactWeight,
    );
    byIndex.push(await matchClauses(index, expanded, counts));
  }
  const total = indexes.reduce((sum, index) => sum + index.total, 0);
  return clauses.map(({ clause, asked }, at) => {
    const matches = byIndex.map((all) => all[at] as ClauseMatches);
    const count = matches.reduce((sum, one) => sum + one.count, 0);
    const exact = matches.reduce((sum, one) => sum + one.exactCount, 0);
    const share = word_frequency ? discountByFrequency(clause) : 1;
    const formWeight = share * computeWeight(count, total);
    const weight = exact > 0 ? share * computeWeight(exact, total) : formWeight;
    return { clause, asked, matches, count, weight, formWeight, cut: matches.some(({ cut }) => cut) };
  });
}

/** The terms in scope with the fewest edits, most frequent first. */
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

/** The weight of an occurrence of a form. */
const FORM_WEIGHT = 0.8;
/** How many terms are looked up at a time. */
const BATCH_TERMS = 256;
/** From this many lists on, read them as adjacent lists. */
const MANY_LISTS = 64;

/** The terms of an expansion, in byte order, and whether there are more. */
interface Expansion {
  readonly terms: readonly string[];
  readonly cut: boolean;
}

/** The terms to read for each clause: words, prefixes, forms. The dictionary is read once for all of them. */
async function expandClauses(
  clauses: readonly QueryClause[],
  index: ScopedIndex,
  exactWeight: number,
): Promise<IndexedClause[]> {
  const { forms } = index;
  const words = clauses.map(({ any }) => any.filter(({ terms }) => terms.length === 1));
  const prefixesOf = ({ terms, prefix, inflected }: QueryPhrase): readonly string[] =>
    prefix ? terms : inflected ? forms.listPrefixes(terms[0] as string) : [];
  const prefixes = [...new Set(words.flat().flatMap(prefixesOf))];
  const found = await listScopedTerms(index, prefixes);
  const dictionary = new Map(prefixes.map((prefix, at) => [prefix, found[at] as string[]]));
  const expanded: IndexedClause[] = [];
  for (const [at, { any }] of clauses.entries()) {
    const weights = new Map<string, number>();
    const add = (term: string, weight: number) => weights.set(term, Math.max(weight, weights.get(term) ?? 0));
    let cut = false;
    for (const phrase of words[at] as QueryPhrase[]) {
      const [term] = phrase.terms as [string];
      const listed = prefixesOf(phrase).flatMap((prefix) => dictionary.get(prefix) as string[]);
      // Byte order decides which terms of a cut expansion are searched; the lists of several prefixes are in no order.
      const terms = prefixesOf(phrase).length > 1 ? listed.sort(compareTerms) : listed;
      // Skip the lists of a term that is not in the dictionary.
      const isAbsent = prefixesOf(phrase).some((prefix) => term.startsWith(prefix)) && !terms.includes(term);
      if (!phrase.prefix && !isAbsent) add(term, exactWeight);
      const expansion = await limitTerms(
        index,
        phrase.prefix ? terms : terms.filter((one) => forms.isForm(one, term)),
      );
      cut ||= expansion.cut;
      for (const one of expansion.terms) add(one, phrase.prefix ? 1 : FORM_WEIGHT);
    }
    expanded.push({
      words: Array.from(weights, ([term, weight]) => ({ term, weight })),
      phrases: any.filter(({ terms }) => terms.length > 1),
      cut,
    });
  }
  return expanded;
}

/** The terms with each prefix that granted fields of documents in scope may have, in byte order. */
function listScopedTerms({ reader, fields }: ScopedIndex, prefixes: readonly string[]): Promise<string[][]> {
  return reader.terms(prefixes, {
    fields: new Set(fields.map(({ number }) => number)),
    docs: reader.filter,
  });
}

/** The first terms that records in scope have, as many as an expansion may have. */
async function limitTerms(index: ScopedIndex, terms: readonly string[]): Promise<Expansion> {
  if (terms.length <= index.expansion) return { terms, cut: false };
  const counted = await countTerms(index, terms, index.expansion + 1);
  return {
    terms: counted.slice(0, index.expansion).map(({ term }) => term),
    cut: counted.length > index.expansion,
  };
}

/** How many records in scope have each of `terms` (in byte order), for the first `limit` terms that any has. */
async function countTerms(
  { reader, fields }: ScopedIndex,
  terms: readonly string[],
  limit: number,
): Promise<{ term: string; count: number }[]> {
  const counted: { term: string; count: number }[] = [];
  for (let start = 0; start < terms.length && counted.length < limit; start += BATCH_TERMS) {
    const batch = terms.slice(start, start + BATCH_TERMS).map((term) => ({ term, docs: new DocSet() }));
    await reader.collect(
      batch.flatMap(({ term, docs }) => fields.map(({ number }) => ({ term, field: number, docs }))),
      { near: batch.length * fields.length >= MANY_LISTS },
    );
    for (const { term, docs } of batch) if (docs.size > 0) counted.push({ term, count: docs.size });
  }
  return counted.slice(0, limit);
}
