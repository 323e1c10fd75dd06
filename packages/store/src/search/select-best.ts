import type { SearchPosition } from "../store.ts";
import type { PassagePlace } from "../vectors/vector-rows.ts";

/** The order of hits with equal scores. */
export interface Order {
  readonly time_ms: number | null;
  readonly tie: number;
}

/** A hit before its record is read. */
export interface Candidate extends Order {
  readonly group: number;
  readonly doc: number;
  readonly score: number;
  /** The passage that is similar to the query, of a record that is a hit for its meaning too. */
  readonly passage?: PassagePlace | undefined;
}

/** Documents with their scores, and a way to order equal ones. */
export interface Scored {
  readonly docs: Uint32Array;
  readonly scores: Float64Array;
  orderOf(docs: Uint32Array): Promise<Order[]>;
}

const ALONE: Order = { time_ms: null, tie: 0 };

/** The best `count` after a position, and those that differ from the last of them only by id. */
export async function selectBest(
  groups: readonly Scored[],
  count: number,
  after?: SearchPosition,
): Promise<Candidate[]> {
  const candidates = await orderEqual(
    groups,
    chooseByScore(groups, count, after?.score ?? Number.POSITIVE_INFINITY),
  );
  return takeBest(candidates, count, after);
}

/** The best `count` candidates after a position, and those that differ from the last of them only by id. */
export function takeBest(
  candidates: readonly Candidate[],
  count: number,
  after?: SearchPosition,
): Candidate[] {
  const rest = candidates.filter((one) => !after || compareOrder(one, after) >= 0).sort(compareOrder);
  const last = rest[count];
  return last ? rest.filter((one) => compareOrder(one, last) <= 0) : rest;
}

/** Those with the best scores up to a ceiling, including all that equal the ceiling. */
function chooseByScore(groups: readonly Scored[], count: number, ceiling: number): Candidate[] {
  const least = leastOfBest(groups, count, ceiling);
  const chosen: Candidate[] = [];
  for (const [group, { docs, scores }] of groups.entries()) {
    for (let at = 0; at < docs.length; at += 1) {
      const score = scores[at] as number;
      if (score >= least && score <= ceiling)
        chosen.push({ group, doc: docs[at] as number, score, ...ALONE });
    }
  }
  return chosen;
}

/** Looks up the tie order of candidates with equal scores; unique scores need none. */
async function orderEqual(groups: readonly Scored[], candidates: readonly Candidate[]): Promise<Candidate[]> {
  const byScore = new Map<number, number>();
  for (const { score } of candidates) byScore.set(score, (byScore.get(score) ?? 0) + 1);
  const ordered: Candidate[] = [];
  for (const [number, { orderOf }] of groups.entries()) {
    const own = candidates.filter(({ group }) => group === number);
    const equal = own.filter(({ score }) => (byScore.get(score) as number) > 1);
    ordered.push(...own.filter(({ score }) => byScore.get(score) === 1));
    if (equal.length === 0) continue;
    const order = await orderOf(Uint32Array.from(equal, ({ doc }) => doc));
    ordered.push(...equal.map((one, at) => ({ ...one, ...(order[at] as Order) })));
  }
  return ordered;
}

/** The sort key of a hit. */
type Ranked = Omit<SearchPosition, "tier">;

/** Best first: by score, newest first, then by the tie number and the id. */
export function compareCandidates(a: Ranked, b: Ranked): number {
  return compareOrder(a, b) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function compareOrder(a: Order & { score: number }, b: Order & { score: number }): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.time_ms !== b.time_ms)
    return (b.time_ms ?? Number.NEGATIVE_INFINITY) - (a.time_ms ?? Number.NEGATIVE_INFINITY);
  return a.tie - b.tie;
}

/** The score that the best `count + 1` below `ceiling` have at least. */
function leastOfBest(groups: readonly Scored[], count: number, ceiling: number): number {
  const best: number[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (const { scores } of groups) {
    for (let number = 0; number < scores.length; number += 1) {
      const score = scores[number] as number;
      if (score <= least || score >= ceiling) continue;
      let at = best.length;
      while (at > 0 && (best[at - 1] as number) > score) at -= 1;
      best.splice(at, 0, score);
      if (best.length > count + 1) best.shift();
      if (best.length > count) least = best[0] as number;
    }
  }
  return least;
}
