/** The oracle's search: tokenizes every text, compares every term, recounts every number. */
import type { FieldShape, ReadScope } from "@rungs/contract";
import { formatRecordId, type Query, type QueryClause } from "@rungs/evidence";
import type {
  ScalarFilter,
  SearchPosition,
  StoredFacets,
  StoredMeaning,
  StoredWord,
  StreamFilters,
} from "@rungs/store";
import type { Covered, Held, Oracle } from "./oracle.ts";
import {
  type Candidate,
  type Counted,
  candidatesOf,
  countAndWiden,
  type LightOrNot,
  markLight,
  sum,
} from "./oracle-clauses.ts";
import { filterAll } from "./oracle-lists.ts";
import { findNearest, type OraclePassage } from "./oracle-meaning.ts";
import { orderOf, sortHits } from "./oracle-order.ts";
import { findThread } from "./oracle-threads.ts";

export interface OracleHit {
  readonly held: Held;
  readonly position: SearchPosition;
  readonly matched_fields: readonly string[];
  readonly matched_clauses: readonly number[];
  /** The clauses that a record has and that decide; the clauses that it has. */
  readonly telling: Query;
  readonly own: Query;
  /** The passage to show for a hit with none of the words. */
  readonly passage?: OraclePassage | undefined;
}

/** The size of the rank window, and the most records in scope that are compared by meaning. */
export interface OracleLimits {
  readonly window: number;
  readonly similar_scan?: number;
  /** The most terms in the expansion of a prefix or a word. */
  readonly expansion?: number;
}

export interface OracleAnswer {
  readonly hits: readonly OracleHit[];
  readonly count: number;
  readonly count_all: number;
  readonly words: readonly StoredWord[];
  readonly meaning?: StoredMeaning | undefined;
  readonly facets: StoredFacets;
}

const K1 = 0.5;
const B = 0.4;
const AVERAGE_LENGTH = 100;
const LONGEST = 2_000;
const TITLE_WEIGHT = 2;
const LENT = [0.5, 0.3];

/** Every record of the scope that matches or is ranked, in order. */
export async function searchAll(
  oracle: Oracle,
  scope: ReadScope,
  query: Query,
  { window, similar_scan = 200_000, expansion = 1_024 }: OracleLimits,
  order: "relevance" | "newest",
  filters: readonly StreamFilters[] = [],
): Promise<OracleAnswer> {
  const candidates = oracle
    .cover(scope)
    .map((covered) => ({ ...covered, meeting: new Set(filterAll(covered, listFilters(covered, filters))) }))
    .flatMap((covered) => candidatesOf(covered).filter(({ held }) => covered.meeting.has(held)));
  const weighed = query.clauses.flatMap((clause, asked) =>
    countAndWiden(candidates, clause, asked, expansion),
  );
  const counted = markLight(weighed);
  const positive = counted.filter(({ clause, df }) => clause.need !== "excluded" && df > 0);
  const total = sum(positive.map(({ weight }) => weight));
  const matching = candidates.map((_, at) => isMatching(counted, at));
  const contributions = positive.map((one) => candidates.map((each, at) => contribute(each, one, at)));
  const own = candidates.map((_, at) =>
    scoreOf(
      positive,
      contributions.map((all) => all[at] as number),
      total,
    ),
  );
  const toHit = (at: number, score: number, tier: 0 | 1): OracleHit =>
    describe(candidates[at] as Candidate, at, counted, { tier, score });
  const numbers = candidates.map((_, at) => at).filter((at) => matching[at]);
  let hits: OracleHit[];
  let meaning: StoredMeaning | undefined;
  if (order === "newest") {
    const covers = (at: number) =>
      sum(positive.map((one, k) => (((contributions[k] as number[])[at] as number) > 0 ? one.weight : 0)));
    hits = sortHits(numbers.filter((at) => covers(at) >= 0.7 * total).map((at) => toHit(at, 0, 1)));
  } else {
    const best = sortHits(numbers.map((at) => toHit(at, own[at] as number, 1))).slice(0, window);
    const chosen = new Set(best.map(({ held }) => candidates.findIndex((one) => one.held === held)));
    const around = candidates.map((_, at) => neighboursOf(candidates, at));
    const members = new Set(chosen);
    for (const at of chosen)
      for (const side of around[at] as number[][])
        for (const one of side) if (matching[one]) members.add(one);
    const hasVectors = (held: Held, field: string) => oracle.isEmbedded(scope.owner_id, held, field);
    const { nearest, coverage } = await findNearest(candidates, query, hasVectors);
    meaning = coverage;
    const similar = new Set<number>();
    if (candidates.length <= similar_scan) {
      const near = candidates.map((_, at) => at).filter((at) => nearest[at]?.isSimilar);
      for (const { held } of sortHits(
        near.map((at) => toHit(at, (nearest[at] as OraclePassage).similarity, 0)),
      ).slice(0, window))
        similar.add(candidates.findIndex((one) => one.held === held));
    }
    for (const at of similar) members.add(at);
    const byWords = [...members].map((at) => {
      const pooled = contributions.map((all) =>
        Math.max(
          all[at] as number,
          ...(around[at] as number[][]).flatMap((side) =>
            side.map((one, far) => (LENT[far] as number) * (all[one] as number)),
          ),
        ),
      );
      const score = scoreOf(positive, pooled, total);
      const whole = sum(positive.map(({ weight }, k) => (contributions[k]?.[at] ? weight : 0))) / total;
      const lift = liftAuthor(candidates[at] as Candidate, at, positive);
      return score > 0 ? score * (1 + 0.7 * whole ** 6) + lift : score;
    });
    const bestByWords = Math.max(0, ...byWords) || 1;
    const nearestOfAll = Math.max(0, ...[...members].map((at) => nearest[at]?.similarity ?? 0));
    const ranked = [...members].map((at, number) => {
      const lift =
        nearestOfAll === 0 ? 0 : (0.2 * bestByWords * (nearest[at]?.similarity ?? 0)) / nearestOfAll;
      const hit = toHit(at, (byWords[number] as number) + lift, 0);
      const isQuoted = similar.has(at) && hit.telling.clauses.length === 0;
      return isQuoted ? { ...hit, passage: nearest[at] } : hit;
    });
    const rest = numbers.filter((at) => !members.has(at)).map((at) => toHit(at, own[at] as number, 1));
    hits = [...sortHits(ranked), ...sortHits(rest)];
  }
  return {
    hits,
    meaning,
    facets: countFacets(numbers.map((at) => candidates[at] as Candidate)),
    count: numbers.length,
    count_all: candidates.filter((_, at) => hasAll(counted, at)).length,
    words: query.clauses.map(({ text, need }, asked) => {
      const own_ = counted.filter((one) => one.asked === asked);
      const widened = [...new Set(own_.flatMap((one) => one.widened ?? []))];
      const found = widened.length > 0 ? { count: 0, widened } : { count: (own_[0] as Counted).df };
      const light = own_.every(({ isLight }) => isLight) ? { light: true as const } : {};
      return {
        text,
        need,
        ...found,
        ...light,
        ...(own_.some(({ cut }) => cut) ? { cut: true as const } : {}),
      };
    }),
  };
}

/** The suite's authors are persons, which no facet counts. */
function countFacets(matching: readonly Candidate[]): StoredFacets {
  const count = (keys: readonly string[]) => Map.groupBy(keys, (key) => key).entries();
  const sources = [
    ...count(matching.map(({ held: { ref } }) => JSON.stringify([ref.connection_id, ref.stream]))),
  ];
  const times = matching
    .map(({ held, covered }) => orderOf(held, covered).time_ms)
    .filter((time) => time !== null);
  const months = [...count(times.map((time) => new Date(time).toISOString().split("-", 2).join("-")))];
  return {
    is_complete: true,
    sources: sources
      .map(([key, all]) => ({ key: JSON.parse(key), count: all.length }))
      .map(({ key: [connection_id, stream], count: n }) => ({ connection_id, stream, count: n }))
      .sort((a, b) => b.count - a.count),
    months: months
      .map(([month, all]) => ({ month, count: all.length }))
      .sort((a, b) => (a.month < b.month ? 1 : -1))
      .slice(0, 36),
    people: [],
  };
}

function isMatching(counted: readonly Counted[], at: number): boolean {
  const has = (one: Counted) => sum(one.counts[at] as readonly number[]) > 0;
  const of = (need: QueryClause["need"]) => counted.filter(({ clause }) => clause.need === need);
  if (of("excluded").some(has)) return false;
  return of("required").length > 0 ? of("required").every(has) : of("wanted").some(has);
}

function hasAll(counted: readonly LightOrNot[], at: number): boolean {
  return counted.every(
    ({ clause, counts, isLight }) =>
      isLight || sum(counts[at] as readonly number[]) > 0 === (clause.need !== "excluded"),
  );
}

/** The candidates before and after one in its thread, the nearest first. */
function neighboursOf(candidates: readonly Candidate[], at: number): number[][] {
  const { held, covered } = candidates[at] as Candidate;
  const { shape, granted } = covered;
  const field = shape.fields.find(({ role }) => role === "thread")?.name;
  const time = shape.consent_time_field;
  const thread = findThread(shape, held.data);
  if (!field || !time || !granted.has(field) || !granted.has(time) || !thread || held.time_ms === null)
    return [[], []];
  const mates = covered.records
    .filter((other) => other.time_ms !== null && findThread(shape, other.data) === thread)
    .sort((x, y) => (x.time_ms as number) - (y.time_ms as number) || x.place - y.place);
  const place = mates.indexOf(held);
  const sides = [mates.slice(Math.max(0, place - 2), place).reverse(), mates.slice(place + 1, place + 3)];
  return sides.map((side) =>
    side.map((mate) => candidates.findIndex((one) => one.held === mate)).filter((number) => number >= 0),
  );
}

function listFilters({ limits }: Covered, filters: readonly StreamFilters[]): ScalarFilter[] {
  return filters
    .filter(({ connection_id, stream }) => connection_id === limits.connection_id && stream === limits.stream)
    .flatMap((one) => one.filters);
}

function liftAuthor({ fields }: Candidate, at: number, positive: readonly Counted[]): number {
  const least = 12;
  const lifts = positive.map(({ exact, weight }) => {
    const named = fields.some(
      ({ shape }, k) => shape.role === "actor" && ((exact[at] as number[])[k] as number) > 0,
    );
    return named ? least - weight : 0;
  });
  return Math.max(0, ...lifts);
}

function describe(
  { held, covered, fields }: Candidate,
  at: number,
  counted: readonly LightOrNot[],
  rank: { readonly tier: 0 | 1; readonly score: number },
): OracleHit {
  const own = counted.filter(
    ({ clause, counts }) => clause.need !== "excluded" && sum(counts[at] as number[]) > 0,
  );
  const matched = fields.filter((_, k) =>
    own.some(({ counts }) => ((counts[at] as number[])[k] as number) > 0),
  );
  return {
    held,
    position: { ...rank, ...orderOf(held, covered), id: formatRecordId(held.ref) },
    matched_fields: matched
      .toSorted((a, b) => fieldWeight(b.shape) - fieldWeight(a.shape))
      .map(({ shape }) => shape.name),
    matched_clauses: [...new Set(own.map(({ asked }) => asked))].sort((a, b) => a - b),
    telling: { clauses: own.filter(({ isLight }) => !isLight).map(({ clause }) => clause) },
    own: { clauses: own.map(({ clause }) => clause) },
  };
}

/** The larger of two scores: the exact word by its own weight, and with its forms by theirs. */
function contribute(
  candidate: Candidate,
  { counts, exact, weight, formWeight }: Counted,
  at: number,
): number {
  return Math.max(
    contributeBy(candidate, counts[at] as readonly number[], formWeight),
    contributeBy(candidate, exact[at] as readonly number[], weight),
  );
}

function contributeBy({ fields }: Candidate, counts: readonly number[], weight: number): number {
  let frequency = 0;
  for (const [k, { shape, texts }] of fields.entries()) {
    const count = counts[k] as number;
    if (count === 0) continue;
    const length = sum(texts.map((terms) => terms.length));
    frequency += (fieldWeight(shape) * count) / (1 - B + (B * Math.min(length, LONGEST)) / AVERAGE_LENGTH);
  }
  return (weight * frequency * (K1 + 1)) / (frequency + K1);
}

function scoreOf(positive: readonly Counted[], contributions: readonly number[], total: number): number {
  const covered = sum(positive.map(({ weight }, k) => ((contributions[k] as number) > 0 ? weight : 0)));
  return total === 0 ? 0 : sum(contributions) * (1 + covered / total);
}

function fieldWeight({ role }: FieldShape): number {
  return role === "primary-title" ? TITLE_WEIGHT : 1;
}
