import type { Query, QueryClause, QueryPhrase } from "./query.ts";
import { CharClass, classOfChar, eachToken, hasPlainWords } from "./tokens.ts";

/** A term at its place in a text, in UTF-16 units. */
export interface Term {
  readonly term: string;
  readonly start: number;
  readonly end: number;
}

/** A place where a clause of a query matches a text, in UTF-16 units. */
export interface FoundMatch {
  readonly clause: number;
  readonly start: number;
  readonly end: number;
}

/** Whether two different terms are forms of one word. */
export type IsForm = (term: string, wanted: string) => boolean;

/** Finds the inflected forms of words. */
export interface FormFinder {
  readonly isForm: IsForm;
  /** Prefixes that cover `term` and its forms, none a prefix of another; empty when it has no forms. */
  listPrefixes(term: string): readonly string[];
}

const NO_FORMS: IsForm = () => false;

/** The terms of `text`. */
export function listTerms(text: string): Term[] {
  const terms: Term[] = [];
  eachToken(text, (term, start, end) => terms.push({ term, start, end }));
  return terms;
}

/** Every place where a clause of `query` matches `text`, in order of place. Excluded clauses match nowhere. */
export function findMatches(text: string, query: Query, forms?: FormFinder): FoundMatch[] {
  return findPlainMatches(text, query, forms) ?? findTermMatches(text, query, forms?.isForm ?? NO_FORMS);
}

function findTermMatches(text: string, query: Query, isForm: IsForm): FoundMatch[] {
  const terms = listTerms(text);
  const found: FoundMatch[] = [];
  eachPhrase(query, (phrase, clause) => {
    for (let at = 0; at + phrase.terms.length <= terms.length; at += 1) {
      if (!matchAt(terms, at, phrase, isForm)) continue;
      found.push({ clause, ...findExtent(text, terms, at, phrase) });
    }
  });
  return found.sort(comparePlaces);
}

function eachPhrase(query: Query, visit: (phrase: QueryPhrase, clause: number) => void): void {
  for (const [number, { need, any }] of query.clauses.entries())
    if (need !== "excluded") for (const phrase of any) visit(phrase, number);
}

function comparePlaces(a: FoundMatch, b: FoundMatch): number {
  return a.start - b.start || a.end - b.end || a.clause - b.clause;
}

const WORD = /[a-z0-9]/;

/**
 * The fast path for ASCII text and single words, which skips most terms; undefined when the text or the query is not
 * plain.
 */
function findPlainMatches(text: string, query: Query, forms?: FormFinder): FoundMatch[] | undefined {
  if (!hasPlainWords(text) || query.clauses.some(({ any }) => any.some(({ terms }) => terms.length > 1)))
    return undefined;
  const lower = text.toLowerCase();
  const found: FoundMatch[] = [];
  eachPhrase(query, (phrase, clause) => {
    const [term = ""] = phrase.terms;
    const begins = phrase.inflected ? (forms?.listPrefixes(term) ?? []) : [];
    for (const begin of begins.length > 0 ? begins : [term])
      for (let start = lower.indexOf(begin); start >= 0; start = lower.indexOf(begin, start + 1)) {
        if (start > 0 && WORD.test(lower.charAt(start - 1))) continue;
        let end = start + begin.length;
        while (end < lower.length && WORD.test(lower.charAt(end))) end += 1;
        if (matchTerm(lower.slice(start, end), phrase, 0, forms?.isForm ?? NO_FORMS))
          found.push({ clause, start, end });
      }
  });
  return found.sort(comparePlaces);
}

/** The units that `phrase` covers when it matches at term number `at`. */
export function findExtent(
  text: string,
  terms: readonly Term[],
  at: number,
  phrase: QueryPhrase,
): { start: number; end: number } {
  const first = terms[at] as Term;
  const last = terms[at + phrase.terms.length - 1] as Term;
  const code = text.codePointAt(last.start) as number;
  const oneOfTwo = phrase.prefix && classOfChar(code) === CharClass.dense;
  return { start: first.start, end: oneOfTwo ? endOfFirst(text, last) : last.end };
}

/** The first alternative of `clause` that matches the terms from number `at` on. */
export function findAlternative(
  terms: readonly Term[],
  at: number,
  { any }: QueryClause,
  isForm: IsForm = NO_FORMS,
): QueryPhrase | undefined {
  return any.find((phrase) => matchAt(terms, at, phrase, isForm) !== undefined);
}

/** How `phrase` matches the terms from number `at` on: as it is written, by an inflected form, or not at all. */
export function matchAt(
  terms: readonly Term[],
  at: number,
  phrase: QueryPhrase,
  isForm: IsForm = NO_FORMS,
): "exact" | "form" | undefined {
  let how: "exact" | "form" | undefined;
  for (const number of phrase.terms.keys()) {
    const term = terms[at + number]?.term;
    const one = term === undefined ? undefined : matchTerm(term, phrase, number, isForm);
    if (!one) return undefined;
    if (how !== "form") how = one;
  }
  return how;
}

function matchTerm(
  term: string,
  { terms, prefix, inflected }: QueryPhrase,
  number: number,
  isForm: IsForm,
): "exact" | "form" | undefined {
  const wanted = terms[number] as string;
  if (term === wanted || (prefix && number === terms.length - 1 && term.startsWith(wanted))) return "exact";
  return inflected && isForm(term, wanted) ? "form" : undefined;
}

/** Where the first character of a bigram ends, with its voicing marks. */
function endOfFirst(text: string, token: Term): number {
  let end = token.start + ((text.codePointAt(token.start) as number) > 0xffff ? 2 : 1);
  while (end < token.end && classOfChar(text.charCodeAt(end)) === CharClass.voicing) end += 1;
  return end;
}
