/** The oracle's expansion of a prefix or a word: the first terms in byte order that a partition's records have. */
import { matchAt, type QueryClause, type QueryPhrase } from "@rungs/evidence";
import { defaultForms } from "@rungs/store/internal/forms";
import type { Covered } from "./oracle.ts";
import type { Candidate } from "./oracle-clauses.ts";

export interface OracleExpansion {
  /** Whether a phrase of the clause may end with `term` in a field of a candidate. */
  allows(candidate: Candidate, field: string, phrase: QueryPhrase, term: string): boolean;
  /** Whether there were more terms than it may stand for. */
  readonly cut: boolean;
}

/** For each partition, phrase and field, the terms that end a match: prefixes of several words are limited by field. */
export function limitExpansion(
  candidates: readonly Candidate[],
  { any }: QueryClause,
  limit: number,
): OracleExpansion {
  const ends = new Map<Covered, Map<string, Set<string>>>();
  const keyOf = (phrase: QueryPhrase, field: string) =>
    JSON.stringify([phrase, phrase.terms.length > 1 ? field : ""]);
  for (const { covered, fields } of candidates) {
    const own = ends.get(covered) ?? new Map<string, Set<string>>();
    ends.set(covered, own);
    for (const { shape, texts } of fields)
      for (const terms of texts)
        for (const at of terms.keys())
          for (const phrase of any) {
            const how = matchAt(terms, at, phrase, defaultForms.isForm);
            if (!how || (how === "exact" && !phrase.prefix)) continue;
            const key = keyOf(phrase, shape.name);
            const last = terms[at + phrase.terms.length - 1]?.term as string;
            own.set(key, (own.get(key) ?? new Set()).add(last));
          }
  }
  let cut = false;
  for (const own of ends.values())
    for (const [key, terms] of own) {
      cut ||= terms.size > limit;
      own.set(key, new Set([...terms].sort(compareBytes).slice(0, limit)));
    }
  return {
    cut,
    allows: ({ covered }, field, phrase, term) =>
      ends.get(covered)?.get(keyOf(phrase, field))?.has(term) ?? false,
  };
}

export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
