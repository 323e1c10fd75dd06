/**
 * Ranks the window: the best records by their own words, and the matching records around them in their threads. A word
 * that a neighbour has counts for a record too, for less: the answer is often in the next turn.
 */

import { isMatching, scoreClauses } from "./candidates.ts";
import type { MatchedQuery } from "./matched-query.ts";
import { type Neighbours, readNeighbours } from "./neighbours.ts";
import { addUpPooled, type ScoredWindow } from "./pooled-score.ts";
import { createOrder } from "./scoped-index.ts";
import type { Candidate, Order } from "./select-best.ts";

export async function rankWindow(matched: MatchedQuery, window: readonly Candidate[]): Promise<Candidate[]> {
  const ranked: Candidate[] = [];
  for (const [group, request] of matched.requests.entries()) {
    const own = window.filter((one) => one.group === group).map(({ doc }) => doc);
    const scored = await scoreWindow(matched, group, own);
    if (scored.docs.length === 0) continue;
    const orders = await createOrder(request.index)(scored.docs);
    for (const [at, doc] of scored.docs.entries())
      ranked.push({ group, doc, score: scored.scores[at] as number, ...(orders[at] as Order) });
  }
  return ranked;
}

async function scoreWindow(
  { sql, owner, requests, clauses, total, parts }: MatchedQuery,
  group: number,
  own: readonly number[],
): Promise<ScoredWindow> {
  const request = requests[group] as MatchedQuery["requests"][number];
  const { index } = request;
  const readAround = async (docs: readonly number[]) =>
    parts.neighbours ? readNeighbours(sql, owner, index, docs) : new Map<number, Neighbours>();
  const around = await readAround(own);
  const members = new Set(own);
  for (const { before, after } of around.values())
    for (const doc of [...before, ...after]) if (isMatching(request, doc)) members.add(doc);
  const added = [...members].filter((doc) => !around.has(doc));
  const further = new Map([...around, ...(await readAround(added))]);
  const needed = new Set(members);
  for (const { before, after } of further.values()) for (const doc of [...before, ...after]) needed.add(doc);
  const docs = Uint32Array.from(needed).sort();
  const contributions = await scoreClauses(request, docs);
  return addUpPooled({
    clauses,
    total,
    docs,
    contributions,
    members: Uint32Array.from(members).sort(),
    neighbours: further,
    byAuthor: clauses.map(({ matches }) =>
      index.fields
        .filter(({ isAuthor }) => isAuthor)
        .flatMap(({ number }) => matches[group]?.byField.get(number)?.docs ?? []),
    ),
  });
}
