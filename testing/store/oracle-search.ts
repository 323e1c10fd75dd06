/** Search as the oracle does it: every text is tokenised, every token compared, every number counted anew. */
import type { FieldShape, ReadScope, StreamShape } from "@rungs/contract";
import {
  formatFieldPath,
  formatRecordId,
  listTerms,
  matchesAt,
  parseFieldPath,
  type Query,
  type QueryClause,
  type Term,
} from "@rungs/evidence";
import type { SearchPosition, StoredRef } from "@rungs/store";
import type { Covered, Held, Oracle } from "./oracle.ts";

export interface OracleHit {
  readonly held: Held;
  readonly covered: Covered;
  readonly position: SearchPosition;
  readonly matched_fields: readonly string[];
}

const K1 = 1.2;
const B = 0.75;
const AVERAGE_LENGTH = 100;
const LONGEST = 2_000;
const TITLE_WEIGHT = 2;

interface Candidate {
  readonly held: Held;
  readonly covered: Covered;
  readonly fields: readonly { readonly shape: FieldShape; readonly texts: readonly (readonly Term[])[] }[];
}

/** Every record of the scope that matches, best first. */
export function searchAll(oracle: Oracle, scope: ReadScope, query: Query): OracleHit[] {
  const candidates = oracle.cover(scope).flatMap(candidatesOf);
  const counted = query.clauses.map((clause) => candidates.map((one) => countClause(one, clause)));
  const weights = counted.map((counts) =>
    weightOf(counts.filter((one) => sum(one) > 0).length, candidates.length),
  );
  const hits: OracleHit[] = [];
  for (const [at, { held, covered, fields }] of candidates.entries()) {
    const counts = counted.map((all) => all[at] as readonly number[]);
    if (!counts.every((one) => sum(one) > 0)) continue;
    const matched = fields.filter((_, number) => counts.some((one) => (one[number] as number) > 0));
    hits.push({
      held,
      covered,
      position: {
        score: scoreOf(fields, counts, weights),
        ...orderOf(held, covered),
        id: formatRecordId(held.ref),
      },
      matched_fields: matched
        .toSorted((a, b) => fieldWeight(b.shape) - fieldWeight(a.shape))
        .map(({ shape }) => shape.name),
    });
  }
  return hits.sort((a, b) => comparePositions(a.position, b.position));
}

/** Best first; the newest of equals first, those without a time last. */
function comparePositions(a: SearchPosition, b: SearchPosition): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.time_ms !== b.time_ms) return (b.time_ms ?? -Infinity) - (a.time_ms ?? -Infinity);
  if (a.tie !== b.tie) return a.tie - b.tie;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
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

/** The number that orders equal hits: FNV-1a over the record's identity. */
export function tieOf({ connection_id, stream, record_id }: StoredRef): number {
  let hash = 2_166_136_261n;
  for (const byte of new TextEncoder().encode(`${connection_id}/${stream}:${record_id}`)) {
    hash = ((hash ^ BigInt(byte)) * 16_777_619n) & 0xffffffffn;
  }
  return Number(hash);
}

function candidatesOf(covered: Covered): Candidate[] {
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

/** How often a clause matches in each field of a candidate. */
function countClause({ fields }: Candidate, clause: QueryClause): number[] {
  return fields.map(({ texts }) =>
    sum(texts.map((tokens) => tokens.filter((_, at) => matchesAt(tokens, at, clause)).length)),
  );
}

function weightOf(matching: number, total: number): number {
  return Math.log(1 + (total - matching + 0.5) / (matching + 0.5));
}

function scoreOf(
  fields: Candidate["fields"],
  counts: readonly (readonly number[])[],
  weights: readonly number[],
): number {
  let score = 0;
  for (const [clause, weight] of weights.entries()) {
    let frequency = 0;
    for (const [at, { shape, texts }] of fields.entries()) {
      const count = counts[clause]?.[at] as number;
      if (count === 0) continue;
      const length = sum(texts.map((tokens) => tokens.length));
      frequency += (fieldWeight(shape) * count) / (1 - B + (B * Math.min(length, LONGEST)) / AVERAGE_LENGTH);
    }
    score += (weight * frequency * (K1 + 1)) / (frequency + K1);
  }
  return score;
}

function orderOf(held: Held, { shape, granted }: Covered): { time_ms: number | null; tie: number } {
  const seesTime = shape.consent_time_field !== undefined && granted.has(shape.consent_time_field);
  return { time_ms: seesTime ? held.time_ms : null, tie: tieOf(held.ref) };
}

function fieldWeight({ role }: FieldShape): number {
  return role === "primary-title" ? TITLE_WEIGHT : 1;
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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
