/** The oracle's matches for each clause of a query: it tokenizes every text and compares every term. */
import { readFileSync } from "node:fs";
import type { FieldShape, StreamShape } from "@rungs/contract";
import {
  formatFieldPath,
  listTerms,
  matchAt,
  parseFieldPath,
  type QueryClause,
  type QueryPhrase,
  type Term,
} from "@rungs/evidence";
import { defaultForms } from "@rungs/store/internal/forms";
import type { Covered, Held } from "./oracle.ts";
import { compareBytes, limitExpansion } from "./oracle-expansion.ts";

const IDF_POWER = 1.5;
const FORM = 0.8;
const NEAR = 0.8;

/** The random texts contain no other language's marker words. */
const { isForm } = defaultForms;

/** A record with the terms of its granted, searched fields. */
export interface Candidate {
  readonly held: Held;
  readonly covered: Covered;
  readonly fields: readonly { readonly shape: FieldShape; readonly texts: readonly (readonly Term[])[] }[];
}

/** A clause with its frequency in each field of each candidate. */
export interface Counted {
  readonly clause: QueryClause;
  readonly asked: number;
  readonly counts: readonly (readonly number[])[];
  /** Its frequency without inflected forms. */
  readonly exact: readonly (readonly number[])[];
  readonly df: number;
  readonly weight: number;
  readonly formWeight: number;
  /** The share of its weight that a word keeps, given its frequency in English. */
  readonly share: number;
  /** Whether it expands to more terms than were searched. */
  readonly cut: boolean;
  readonly widened?: readonly string[];
}

export function countAndWiden(
  candidates: readonly Candidate[],
  clause: QueryClause,
  asked: number,
  expansion: number,
): Counted[] {
  const one = countClause(candidates, clause, asked, 1, expansion);
  if (one.df > 0 || clause.need !== "wanted") return [one];
  const [phrase] = clause.any;
  if (!phrase) return [one];
  if (phrase.terms.length > 1) {
    const words = [...new Set(phrase.terms)]
      .map(
        (term): QueryClause => ({
          need: "wanted",
          any: [{ terms: [term], prefix: false, inflected: true }],
          text: term,
        }),
      )
      .map((word) => countClause(candidates, word, asked, 1, expansion))
      .filter(({ df }) => df > 0);
    return words.length === 0
      ? [one]
      : words.map((word) => ({ ...word, widened: words.map((each) => each.clause.text) }));
  }
  const near = nearSpellings(candidates, phrase.terms[0] as string, phrase.prefix, expansion);
  if (near.length === 0) return [one];
  const any = near.map((term) => ({ terms: [term], prefix: false, inflected: false }));
  return [{ ...countClause(candidates, { ...clause, any }, asked, NEAR, expansion), widened: near }];
}

/** How many edits a near spelling of a word may have. */
function mostEdits(word: string): number {
  const isKnown = (ranks.get(word) ?? 60_001) <= 4_000;
  if (isKnown || /\p{N}/u.test(word)) return 0;
  const length = Array.from(word).length;
  return length >= 8 ? 2 : length >= 4 ? 1 : 0;
}

/** Whether a term may replace an absent word. */
export function isNearSpelling(term: string, word: string, most = mostEdits(word)): boolean {
  const starts = Array.from(word).slice(0, 2);
  return (
    most > 0 &&
    starts.some((first) => term.startsWith(first)) &&
    !/\p{N}/u.test(term) &&
    Math.abs(Array.from(term).length - Array.from(word).length) <= most &&
    editsBetween(word, term) <= most
  );
}

function nearSpellings(
  candidates: readonly Candidate[],
  word: string,
  prefix: boolean,
  expansion: number,
): string[] {
  const most = prefix ? 0 : mostEdits(word);
  const found = new Map<Covered, Map<string, Set<Candidate>>>();
  for (const one of most === 0 ? [] : candidates) {
    const own = found.get(one.covered) ?? new Map<string, Set<Candidate>>();
    found.set(one.covered, own);
    for (const { texts } of one.fields)
      for (const { term } of texts.flat())
        if (own.has(term) || isNearSpelling(term, word)) own.set(term, (own.get(term) ?? new Set()).add(one));
  }
  for (let edits = 1; edits <= most; edits += 1) {
    const near = new Map<string, number>();
    for (const own of found.values())
      for (const [term, having] of [...own]
        .filter(([term]) => isNearSpelling(term, word, edits))
        .sort(([a], [b]) => compareBytes(a, b))
        .slice(0, expansion))
        near.set(term, (near.get(term) ?? 0) + having.size);
    if (near.size > 0)
      return [...near]
        .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
        .slice(0, 8)
        .map(([term]) => term);
  }
  return [];
}

/** Optimal string alignment, the whole table. */
function editsBetween(a: string, b: string): number {
  const [from, to] = [Array.from(a), Array.from(b)];
  const table = from.concat("").map(() => new Array<number>(to.length + 1).fill(0));
  for (let i = 0; i <= from.length; i += 1)
    for (let j = 0; j <= to.length; j += 1) {
      const at = (x: number, y: number) => (table[x] as number[])[y] as number;
      let least =
        i === 0
          ? j
          : j === 0
            ? i
            : Math.min(
                at(i - 1, j) + 1,
                at(i, j - 1) + 1,
                at(i - 1, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1),
              );
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1])
        least = Math.min(least, at(i - 2, j - 2) + 1);
      (table[i] as number[])[j] = least;
    }
  return (table[from.length] as number[])[to.length] as number;
}

/** The searchable strings of a field, each with its path. */
export function searchableTexts(shape: FieldShape, value: unknown): { path: string; text: string }[] {
  const declared = shape.lexical.map((path) => (parseFieldPath(path) ?? []).join("\u0000"));
  const texts: { path: string; text: string }[] = [];
  const walk = (inside: unknown, path: (string | number)[]): void => {
    if (typeof inside === "string") {
      const names = path.filter((segment) => typeof segment === "string").join("\u0000");
      const searched = declared.some((one) => names === one || names.startsWith(`${one}\u0000`));
      if (searched) texts.push({ path: formatFieldPath(path), text: inside });
    } else if (inside !== null && typeof inside === "object") {
      const isList = Array.isArray(inside);
      for (const [name, item] of Object.entries(inside)) walk(item, [...path, isList ? Number(name) : name]);
    }
  };
  walk(value, [shape.name]);
  return texts;
}

export function candidatesOf(covered: Covered): Candidate[] {
  const searched = searchedFields(covered.shape).filter(({ name }) => covered.granted.has(name));
  if (searched.length === 0) return [];
  return covered.records.map((held) => ({
    held,
    covered,
    fields: searched.map((shape) => ({
      shape,
      texts: searchableTexts(shape, held.data[shape.name]).map(({ text }) => tokensOf(text)),
    })),
  }));
}

function searchedFields(shape: StreamShape): readonly FieldShape[] {
  return shape.fields.filter(({ lexical }) => lexical.length > 0);
}

function countClause(
  candidates: readonly Candidate[],
  clause: QueryClause,
  asked: number,
  exactWeight: number,
  limit: number,
): Counted {
  const expansion = limitExpansion(candidates, clause, limit);
  const countBy = (weights: { readonly exact: number; readonly form: number }) =>
    candidates.map((candidate) =>
      candidate.fields.map(({ shape, texts }) => {
        const allows = (phrase: QueryPhrase, term: string) =>
          expansion.allows(candidate, shape.name, phrase, term);
        return sum(texts.map((terms) => countIn(terms, clause, weights, allows)));
      }),
    );
  const counts = countBy({ exact: exactWeight, form: FORM });
  const exact = exactWeight === 1 ? countBy({ exact: 1, form: 0 }) : counts;
  const matching = (all: readonly (readonly number[])[]) => all.filter((one) => sum(one) > 0).length;
  const df = matching(counts);
  const share = Math.max(...clause.any.map(shareOf));
  const formWeight = share * weightOf(df, candidates.length);
  const own = matching(exact);
  const weight = own > 0 ? share * weightOf(own, candidates.length) : formWeight;
  return { clause, asked, counts, exact, df, weight, formWeight, share, cut: expansion.cut };
}

/** A clause, and whether the others decide. */
export type LightOrNot = Counted & { readonly isLight: boolean };

/**
 * A wanted word is light if it weighs less than a fifth of the heaviest, or if it is absent and very common in English.
 */
export function markLight(counted: readonly Counted[]): LightOrNot[] {
  const present = counted.filter(({ clause, df }) => clause.need !== "excluded" && df > 0);
  const heaviest = Math.max(0, ...present.map(({ weight }) => weight));
  return counted.map((one) => ({
    ...one,
    isLight:
      one.clause.need === "wanted" &&
      (one.df > 0 ? one.weight < 0.2 * heaviest : one.share < 0.5 && one.weight < heaviest),
  }));
}

function countIn(
  terms: readonly Term[],
  { any }: QueryClause,
  weights: { readonly exact: number; readonly form: number },
  allows: (phrase: QueryPhrase, term: string) => boolean,
): number {
  let count = 0;
  for (const at of terms.keys()) {
    let most = 0;
    for (const phrase of any) {
      const how = matchAt(terms, at, phrase, isForm);
      if (!how) continue;
      const last = terms[at + phrase.terms.length - 1]?.term as string;
      if ((phrase.prefix || how === "form") && !allows(phrase, last)) continue;
      if (phrase.terms.length > 1) count += 1;
      else most = Math.max(most, weights[how]);
    }
    count += most;
  }
  return count;
}

/** English words by frequency, as the file of word vectors lists them. */
const ranks = new Map(
  readFileSync(new URL("../../packages/store/assets/word-vectors.bin", import.meta.url))
    .toString("latin1")
    .slice(16)
    .split("\n", 60_000)
    .map((word, at) => [word, at + 1]),
);

/** The share of its weight that a word keeps: half at a frequency of 0.0003 in English. */
function shareOf({ terms, prefix }: QueryPhrase): number {
  const rank = terms.length === 1 && !prefix ? ranks.get(terms[0] as string) : undefined;
  return rank === undefined ? 1 : 3e-4 / (3e-4 + 1 / (13.3 * rank));
}

function weightOf(matching: number, total: number): number {
  return Math.log(1 + (total - matching + 0.5) / (matching + 0.5)) ** IDF_POWER;
}

const tokenised = new Map<string, readonly Term[]>();

function tokensOf(text: string): readonly Term[] {
  let tokens = tokenised.get(text);
  if (!tokens) {
    if (tokenised.size > 20_000) tokenised.clear();
    tokens = listTerms(text);
    tokenised.set(text, tokens);
  }
  return tokens;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
