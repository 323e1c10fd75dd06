/** Expands the words of clauses over the dictionary: prefixes, and inflected forms. */
import type { QueryClause, QueryPhrase } from "@rungs/evidence";
import { compareTerms } from "../index/dictionary.ts";
import { DocSet } from "../index/doc-set.ts";
import type { IndexedClause } from "../index/match.ts";
import type { ScopedIndex } from "./scoped-index.ts";

/** The weight of an occurrence of a form. */
const FORM_WEIGHT = 0.8;
/** How many terms are looked up at a time. */
const BATCH_TERMS = 256;
/** From this many lists on, they are read as neighbours. */
const MANY_LISTS = 64;

/** The terms of an expansion, in byte order, and whether there are more. */
interface Expansion {
  readonly terms: readonly string[];
  readonly cut: boolean;
}

/** The terms to read for each clause: words, prefixes, forms. The dictionary is read once for all of them. */
export async function expandClauses(
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
      // A term that the dictionary was asked for and does not have needs no look at the lists.
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
export function listScopedTerms(
  { reader, fields }: ScopedIndex,
  prefixes: readonly string[],
): Promise<string[][]> {
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
export async function countTerms(
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
