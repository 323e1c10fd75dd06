import { CodedError } from "../coded-error.ts";
import { CharClass, classOfChar } from "./char-class.ts";
import { eachToken } from "./tokens.ts";

export const MAX_QUERY_CHARS = 1000;
export const MAX_QUERY_CLAUSES = 16;
export const MAX_PHRASE_TERMS = 64;

/** One thing that a record must have: these terms, next to each other. Only the last may be a prefix. */
export interface QueryClause {
  readonly terms: readonly string[];
  readonly prefix: boolean;
}

/** A parsed search query: a record matches when every clause matches somewhere in its granted fields. */
export interface Query {
  readonly clauses: readonly QueryClause[];
}

const PARTS = /"([^"]*)("|$)|(\S+)/gu;

/** Reads a query (words, `"a phrase"`, `wor*`), or refuses with `invalid_query`. */
export function requireQuery(text: string): Query {
  if (text.length > MAX_QUERY_CHARS) throw refuse(`q is longer than ${MAX_QUERY_CHARS} characters.`);
  if (!text.isWellFormed()) throw refuse("q is not well-formed Unicode.");
  const clauses = new Map<string, QueryClause>();
  for (const [, quoted, , bare] of text.matchAll(PARTS)) {
    const clause = createClause(quoted ?? bare ?? "");
    if (clause) clauses.set(JSON.stringify(clause), clause);
  }
  if (clauses.size === 0) throw refuse("q has no word to look for.");
  if (clauses.size > MAX_QUERY_CLAUSES)
    throw refuse(`q has more than ${MAX_QUERY_CLAUSES} words or phrases.`);
  return { clauses: [...clauses.values()] };
}

function createClause(text: string): QueryClause | undefined {
  const terms: string[] = [];
  let lastStart = 0;
  let end = 0;
  eachToken(text, (term, startUnit, endUnit) => {
    terms.push(term);
    lastStart = startUnit;
    end = Math.max(end, endUnit);
  });
  const last = terms.at(-1);
  if (last === undefined) return undefined;
  if (terms.length > MAX_PHRASE_TERMS) throw refuse(`q has a phrase of more than ${MAX_PHRASE_TERMS} words.`);
  if (isDense(text, lastStart)) {
    // The last character of a run stands alone only where a run ends; in a query the run may go on.
    if (terms.length > 1 && isDense(text, lastStart - 1)) return { terms: terms.slice(0, -1), prefix: false };
    return { terms, prefix: true };
  }
  return { terms, prefix: text.charAt(end) === "*" };
}

function isDense(text: string, unit: number): boolean {
  if (unit < 0) return false;
  const code = text.codePointAt(unit) as number;
  const isTrail = code >= 0xdc00 && code <= 0xdfff;
  const charClass = classOfChar(isTrail ? (text.codePointAt(unit - 1) as number) : code);
  return charClass === CharClass.dense || charClass === CharClass.voicing;
}

function refuse(message: string): CodedError<"invalid_query"> {
  return new CodedError("invalid_query", { param: "q", message });
}
