import type { SearchPosition } from "../store.ts";

/** A hit before its record is read. */
export interface Candidate {
  readonly group: number;
  readonly doc: number;
  readonly score: number;
  readonly time_ms: number | null;
  readonly tie: number;
}

/** Documents with their scores, and what orders those that are equal. */
export interface Scored {
  readonly docs: readonly number[];
  readonly scores: Float64Array;
  times(docs: readonly number[]): Promise<(number | null)[]>;
  ties(docs: readonly number[]): Promise<number[]>;
}

/** The best `count` after a position, and those that equal the last of them in all but their ids. */
export async function selectBest(groups: readonly Scored[], count: number, after?: SearchPosition): Promise<Candidate[]> {
  const least = leastOfBest(groups, count, after?.score ?? Number.POSITIVE_INFINITY);
  const candidates: Candidate[] = [];
  for (const [group, { docs, scores, times, ties }] of groups.entries()) {
    const chosen: number[] = [];
    for (let at = 0; at < docs.length; at += 1) {
      const score = scores[at] as number;
      if (score >= least && (!after || score <= after.score)) chosen.push(at);
    }
    const chosenDocs = chosen.map((at) => docs[at] as number);
    const time = await times(chosenDocs);
    const tie = await ties(chosenDocs);
    chosen.forEach((at, number) => {
      candidates.push({
        group,
        doc: docs[at] as number,
        score: scores[at] as number,
        time_ms: time[number] ?? null,
        tie: tie[number] as number,
      });
    });
  }
  const rest = candidates.filter((one) => !after || compareOrder(one, after) >= 0).sort(compareOrder);
  const last = rest[count];
  return last ? rest.filter((one) => compareOrder(one, last) <= 0) : rest;
}

/** Best first: by score, newest first, then by the tie number and the id. */
export function compareCandidates(a: Omit<SearchPosition, "group">, b: SearchPosition): number {
  return compareOrder(a, b) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

type Order = Pick<SearchPosition, "score" | "time_ms" | "tie">;

function compareOrder(a: Order, b: Order): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.time_ms !== b.time_ms) return (b.time_ms ?? Number.NEGATIVE_INFINITY) - (a.time_ms ?? Number.NEGATIVE_INFINITY);
  return a.tie - b.tie;
}

/** The score that the best `count + 1` below `ceiling` have at least; all that equal the ceiling come on top. */
function leastOfBest(groups: readonly Scored[], count: number, ceiling: number): number {
  const best: number[] = [];
  for (const { scores } of groups) {
    for (const score of scores) {
      if (score >= ceiling) continue;
      if (best.length > count && score <= (best[0] as number)) continue;
      if (best.length > count) best.shift();
      let at = best.length;
      while (at > 0 && (best[at - 1] as number) > score) at -= 1;
      best.splice(at, 0, score);
    }
  }
  return best.length > count ? (best[0] as number) : Number.NEGATIVE_INFINITY;
}
