/**
 * The query language: `word` is wanted and ranks, `"a phrase"` and `+word` are required, `-word` excludes, `a OR b` needs
 * one of them, `wor*` is a prefix. Anything else that looks like an operator is refused, never read as words (R60).
 */

import { CodedError } from "../coded-error.ts";
import { CharClass, classOfChar, eachToken } from "./tokens.ts";

export const MAX_QUERY_CHARS = 1000;
export const MAX_QUERY_WORDS = 64;
/** The most phrases, prefixes and alternatives: each reads more of the index than a word. */
export const MAX_QUERY_CLAUSES = 16;
export const MAX_PHRASE_TERMS = 64;

/** Terms next to each other. Only the last may be a prefix. */
export interface QueryPhrase {
  readonly terms: readonly string[];
  readonly prefix: boolean;
  /** Whether inflected forms match too: true for a bare word, false inside quotes. */
  readonly inflected: boolean;
}

/** One word or phrase of a query, with its alternatives. */
export interface QueryClause {
  readonly need: "wanted" | "required" | "excluded";
  readonly any: readonly QueryPhrase[];
  /** The clause as the caller wrote it, without its sign. */
  readonly text: string;
}

/** A parsed query: a record matches when it meets every required clause, no excluded one, and at least one clause overall. */
export interface Query {
  readonly clauses: readonly QueryClause[];
}

interface Operand {
  readonly sign: string;
  readonly text: string;
  readonly quoted: boolean;
}

const PARTS = /([+-]?)"([^"]*)(?:"|$)|(\S+)/gu;
const JOINERS = new Set(["OR", "AND", "NOT"]);
const SIGNED = /^[+-](?=[\p{L}\p{N}\p{M}\p{So}])/u;
/** Punctuation to strip around a word. */
const PUNCTUATION = /^[^\p{L}\p{N}\p{M}\p{So}]+|[^\p{L}\p{N}\p{M}\p{So}*]+$/gu;
const APOSTROPHE_S = /(?<=[\p{L}\p{N}])['\u2019]s$/iu;
const FILTER_NAMES =
  "from|to|cc|bcc|subject|in|is|has|label|before|after|since|until|date|filename|type|author|sender|stream|connection";

/** Operators of other query languages, and what to write instead. */
const UNSUPPORTED: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [
    new RegExp(`^[+-]?(?:${FILTER_NAMES}):\\S`, "iu"),
    "q has no field operators: use filter, since, until, stream or connection_id",
  ],
  [/^NEAR(?:\/\d+)?$/u, "q has no NEAR: words that are close together rank higher by themselves"],
  [
    /[\p{L}\p{N}][~^]\d*(?:\.\d+)?$/u,
    "q has no ~ and no ^: near spellings are tried when a word is not found",
  ],
  [/\*[^\s*]*[\p{L}\p{N}]/u, "* may only end a word, as in wor*"],
  [
    /^(?:&&|\|\|)$/u,
    "q has no && and no ||: words are wanted by default, +word is required, a OR b takes either",
  ],
  [/^![\p{L}\p{N}"]/u, "q has no !: write -word to exclude a word"],
];

/** Parses a query, or throws `invalid_query` with what to write instead. */
export function requireQuery(text: string): Query {
  if (text.length > MAX_QUERY_CHARS) throw refuse(`q is longer than ${MAX_QUERY_CHARS} characters.`);
  if (!text.isWellFormed()) throw refuse("q is not well-formed Unicode.");
  const clauses = new Map<string, QueryClause>();
  for (const clause of joinOperands(readOperands(text))) {
    const key = JSON.stringify(clause.any);
    const known = clauses.get(key);
    if (!known || known.need === "wanted") clauses.set(key, clause);
  }
  const query = { clauses: [...clauses.values()] };
  checkSize(query);
  return query;
}

/** Makes a clause of each word of a phrase, to search instead of a phrase that no record has. */
export function splitClause({ need, any }: QueryClause): QueryClause[] {
  const terms = new Set(any.flatMap((phrase) => phrase.terms));
  return Array.from(terms, (term) => ({
    need,
    any: [{ terms: [term], prefix: false, inflected: true }],
    text: term,
  }));
}

function readOperands(text: string): Operand[] {
  const operands: Operand[] = [];
  for (const [, sign, quoted, bare] of text.matchAll(PARTS)) {
    if (quoted !== undefined) operands.push({ sign: sign ?? "", text: quoted, quoted: true });
    else if (bare !== undefined) operands.push(readBare(bare));
  }
  const hasJoiner = operands.some((one) => isJoiner(one));
  if (hasJoiner && operands.some(({ quoted, text: word }) => !quoted && /^\(|\)$/u.test(word)))
    throw refuse("q has no parentheses: a OR b takes either word, and every other word counts for itself.");
  return operands;
}

function readBare(bare: string): Operand {
  for (const [pattern, advice] of UNSUPPORTED)
    if (pattern.test(bare))
      throw refuse(`${advice}. To look for ${JSON.stringify(bare.slice(0, 80))} as text, put it in quotes.`);
  const sign = SIGNED.test(bare) ? bare.charAt(0) : "";
  return { sign, text: bare.slice(sign.length), quoted: false };
}

function isJoiner({ sign, text, quoted }: Operand): boolean {
  return !quoted && sign === "" && JOINERS.has(text);
}

/** Turns operands into clauses, and applies `a OR b`, `a AND b` and `NOT a`. */
function joinOperands(operands: readonly Operand[]): QueryClause[] {
  const clauses: QueryClause[] = [];
  for (let at = 0; at < operands.length; at += 1) {
    const operand = operands[at] as Operand;
    if (!isJoiner(operand)) {
      const clause = createClause(operand);
      if (clause) clauses.push(clause);
      continue;
    }
    const next = operands[at + 1];
    const right = next && !isJoiner(next) ? createClause(next) : undefined;
    const left = operand.text === "NOT" ? undefined : clauses.pop();
    if (!right || (operand.text !== "NOT" && !left))
      throw refuse(
        `${operand.text} needs a word ${operand.text === "NOT" ? "after it" : "on both sides"}; in quotes it is a word itself.`,
      );
    at += 1;
    if (operand.text === "NOT") clauses.push({ ...right, need: "excluded" });
    else if (operand.text === "AND") clauses.push(demand(left as QueryClause), demand(right));
    else clauses.push(joinClauses(left as QueryClause, right));
  }
  return clauses;
}

function demand(clause: QueryClause): QueryClause {
  return clause.need === "excluded" ? clause : { ...clause, need: "required" };
}

function joinClauses(left: QueryClause, right: QueryClause): QueryClause {
  if (left.need === "excluded" || right.need === "excluded")
    throw refuse("OR cannot join words that are excluded.");
  return { need: "required", any: [...left.any, ...right.any], text: `${left.text} OR ${right.text}` };
}

function createClause({ sign, text, quoted }: Operand): QueryClause | undefined {
  const phrase = createPhrase(quoted ? text : text.replace(APOSTROPHE_S, ""), quoted);
  if (!phrase) return undefined;
  const need = sign === "-" ? "excluded" : quoted || sign === "+" ? "required" : "wanted";
  return { need, any: [phrase], text: quoted ? `"${text}"` : text.replace(PUNCTUATION, "") };
}

function createPhrase(text: string, quoted: boolean): QueryPhrase | undefined {
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
    // The last character of a run is a separate term only at the end of a run; in a query the run may continue.
    if (terms.length > 1 && isDense(text, lastStart - 1))
      return { terms: terms.slice(0, -1), prefix: false, inflected: false };
    return { terms, prefix: true, inflected: false };
  }
  const prefix = text.charAt(end) === "*";
  return { terms, prefix, inflected: !quoted && !prefix && terms.length === 1 };
}

function checkSize({ clauses }: Query): void {
  if (!clauses.some(({ need }) => need !== "excluded")) throw refuse("q has no word to look for.");
  if (clauses.length > MAX_QUERY_WORDS) throw refuse(`q has more than ${MAX_QUERY_WORDS} words.`);
  const costly = clauses.flatMap(({ any }) => (any.length > 1 ? any : any.filter(isCostly)));
  if (costly.length > MAX_QUERY_CLAUSES)
    throw refuse(`q has more than ${MAX_QUERY_CLAUSES} phrases, prefixes and alternatives.`);
}

function isCostly({ terms, prefix }: QueryPhrase): boolean {
  return prefix || terms.length > 1;
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
