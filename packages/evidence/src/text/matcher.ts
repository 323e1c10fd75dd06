import { CharClass, classOfChar } from "./char-class.ts";
import type { Query, QueryClause } from "./query.ts";
import { eachToken, hasPlainWords } from "./tokens.ts";

/** A token where it stands in a text, in UTF-16 units. */
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

/** The tokens of `text`. */
export function listTerms(text: string): Term[] {
  const tokens: Term[] = [];
  eachToken(text, (term, start, end) => tokens.push({ term, start, end }));
  return tokens;
}

/** Every place where a clause of `query` matches `text`, in order of place. */
export function findMatches(text: string, query: Query): FoundMatch[] {
  return findPlainMatches(text, query) ?? findTokenMatches(text, query);
}

function findTokenMatches(text: string, query: Query): FoundMatch[] {
  const tokens = listTerms(text);
  const found: FoundMatch[] = [];
  query.clauses.forEach((clause, number) => {
    for (let at = 0; at + clause.terms.length <= tokens.length; at += 1) {
      if (!matchesAt(tokens, at, clause)) continue;
      const { start, end } = extentOf(text, tokens, at, clause);
      found.push({ clause: number, start, end });
    }
  });
  return found.sort(comparePlaces);
}

function comparePlaces(a: FoundMatch, b: FoundMatch): number {
  return a.start - b.start || a.end - b.end || a.clause - b.clause;
}

const WORD = /\w/;

/** The same for ASCII text and single words, without looking at every token; undefined when the text or the query is not plain. */
function findPlainMatches(text: string, query: Query): FoundMatch[] | undefined {
  if (!hasPlainWords(text) || query.clauses.some(({ terms }) => terms.length > 1)) return undefined;
  const lower = text.toLowerCase();
  const found: FoundMatch[] = [];
  for (const [clause, { terms, prefix }] of query.clauses.entries()) {
    const [term = ""] = terms;
    for (let start = lower.indexOf(term); start >= 0; start = lower.indexOf(term, start + 1)) {
      if (start > 0 && WORD.test(lower.charAt(start - 1))) continue;
      let end = start + term.length;
      if (prefix) while (end < lower.length && WORD.test(lower.charAt(end))) end += 1;
      else if (WORD.test(lower.charAt(end))) continue;
      found.push({ clause, start, end });
    }
  }
  return found.sort(comparePlaces);
}

/** The units that `clause` covers when it matches at token number `at`. */
export function extentOf(
  text: string,
  tokens: readonly Term[],
  at: number,
  clause: QueryClause,
): { start: number; end: number } {
  const first = tokens[at] as Term;
  const last = tokens[at + clause.terms.length - 1] as Term;
  const code = text.codePointAt(last.start) as number;
  const oneOfTwo = clause.prefix && classOfChar(code) === CharClass.dense;
  return { start: first.start, end: oneOfTwo ? endOfFirst(text, last) : last.end };
}

/** Whether `clause` matches the tokens from number `at` on. */
export function matchesAt(tokens: readonly Term[], at: number, clause: QueryClause): boolean {
  const last = clause.terms.length - 1;
  return clause.terms.every((wanted, number) => {
    const term = tokens[at + number]?.term;
    return number === last && clause.prefix ? term?.startsWith(wanted) : term === wanted;
  });
}

/** Where the first character of a bigram ends, with its voicing marks. */
function endOfFirst(text: string, token: Term): number {
  let end = token.start + ((text.codePointAt(token.start) as number) > 0xffff ? 2 : 1);
  while (end < token.end && classOfChar(text.charCodeAt(end)) === CharClass.voicing) end += 1;
  return end;
}
