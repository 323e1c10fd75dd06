/**
 * Ranks the window: the best records by their own words, the matching records around them in their threads, and the
 * records that are nearest in meaning. A word that a neighbour has counts for a record too, for less: the answer is often in the next turn.
 */

import { ClauseCounter, ClauseScorer } from "./clause-scores.ts";
import type { MatchedClause } from "./clauses.ts";
import type { MatchedQuery } from "./matched-query.ts";
import { addUpPooled, type Neighbours, readNeighbours, type ScoredWindow } from "./pooled-score.ts";
import { type SimilarPassage, scanVectors } from "./scan-vectors.ts";
import { createOrder, type ScopedIndex } from "./scoped-index.ts";
import { BestCandidates, type Candidate, type Order } from "./select-best.ts";

/** How much the nearest meaning counts, as a share of the best score by words. */
const MEANING_WEIGHT = 0.2;

/** The records of one index that are ranked. */
interface Members {
  readonly docs: Set<number>;
  readonly around: Map<number, Neighbours>;
  /** The nearest passages, of those that have any. */
  nearest: ReadonlyMap<number, SimilarPassage>;
  /** The documents that are here for their meaning too. */
  similar: ReadonlySet<number>;
}

export async function rankWindow(matched: MatchedQuery, window: readonly Candidate[]): Promise<Candidate[]> {
  const groups: Members[] = [];
  for (const group of matched.requests.keys())
    groups.push(
      await gatherMembers(
        matched,
        group,
        window.filter((one) => one.group === group).map(({ doc }) => doc),
      ),
    );
  await addSimilar(matched, groups);
  const ranked: Candidate[] = [];
  for (const [group, { index }] of matched.requests.entries()) {
    const { similar, nearest } = groups[group] as Members;
    const { docs, scores } = await scoreMembers(matched, group, groups[group] as Members);
    if (docs.length === 0) continue;
    const orders = await createOrder(index)(docs);
    for (const [at, doc] of docs.entries())
      ranked.push({
        group,
        doc,
        score: scores[at] as number,
        ...(orders[at] as Order),
        passage: similar.has(doc) ? nearest.get(doc) : undefined,
      });
  }
  return addMeaning(ranked, groups);
}

/** The best documents by words, and those around them that meet what is required. */
async function gatherMembers(matched: MatchedQuery, group: number, own: readonly number[]): Promise<Members> {
  const { matching } = matched.requests[group] as MatchedQuery["requests"][number];
  const around = await readAround(matched, group, own);
  const docs = new Set(own);
  for (const { before, after } of around.values())
    for (const doc of [...before, ...after]) if (matching.has(doc)) docs.add(doc);
  return { docs, around, nearest: new Map(), similar: new Set() };
}

async function readAround(
  { sql, owner, requests, parts }: MatchedQuery,
  group: number,
  docs: readonly number[],
): Promise<Map<number, Neighbours>> {
  const { index } = requests[group] as MatchedQuery["requests"][number];
  return parts.neighbours ? readNeighbours(sql, owner, index, docs) : new Map();
}

/** Looks up the meaning of the members, and adds the records that are nearest in meaning. */
async function addSimilar(matched: MatchedQuery, groups: readonly Members[]): Promise<void> {
  const { sql, owner, requests, meaning, seeksSimilar, window } = matched;
  if (!meaning || typeof meaning === "string") return;
  const best = new BestCandidates(window);
  for (const [group, members] of groups.entries()) {
    const { index } = requests[group] as MatchedQuery["requests"][number];
    const asked = { members: members.docs, everywhere: seeksSimilar };
    members.nearest = await scanVectors(sql, owner, index, meaning, asked);
    const near = seeksSimilar ? [...members.nearest].filter(([, { isSimilar }]) => isSimilar) : [];
    near.sort(([a], [b]) => a - b);
    await best.offer(
      group,
      Uint32Array.from(near, ([doc]) => doc),
      Float64Array.from(near, ([, { similarity }]) => similarity),
      createOrder(index),
    );
  }
  const nearest = await best.choose();
  for (const [group, members] of groups.entries()) {
    members.similar = new Set(nearest.filter((one) => one.group === group).map(({ doc }) => doc));
    for (const doc of members.similar) members.docs.add(doc);
  }
}

async function scoreMembers(
  matched: MatchedQuery,
  group: number,
  { docs: members, around }: Members,
): Promise<ScoredWindow> {
  const { requests, clauses, total } = matched;
  const request = requests[group] as MatchedQuery["requests"][number];
  const { index } = request;
  const added = [...members].filter((doc) => !around.has(doc));
  const neighbours = new Map([...around, ...(await readAround(matched, group, added))]);
  const needed = new Set(members);
  for (const { before, after } of neighbours.values())
    for (const doc of [...before, ...after]) needed.add(doc);
  const docs = Uint32Array.from(needed).sort();
  const byAuthor: Uint32Array[][] = [];
  for (const one of clauses) byAuthor.push(await findAuthored(index, one, group, docs));
  return addUpPooled({
    clauses,
    total,
    docs,
    contributions: await new ClauseScorer(request).score(docs),
    members: Uint32Array.from(members).sort(),
    neighbours,
    byAuthor,
  });
}

/** Adds what the meaning counts to each score by words; both are relative to the best of the window. */
function addMeaning(ranked: readonly Candidate[], groups: readonly Members[]): Candidate[] {
  const nearness = ranked.map(({ group, doc }) => groups[group]?.nearest.get(doc)?.similarity ?? 0);
  const nearest = nearness.reduce((most, one) => Math.max(most, one), 0);
  if (nearest === 0) return [...ranked];
  const best = ranked.reduce((most, { score }) => Math.max(most, score), 0) || 1;
  return ranked.map((one, at) => ({
    ...one,
    score: one.score + (MEANING_WEIGHT * best * (nearness[at] as number)) / nearest,
  }));
}

/** Those of `docs` (ascending) whose author a clause names: as it is asked for, or by a near spelling. Forms name nobody. */
async function findAuthored(
  { reader, fields }: ScopedIndex,
  { clause, matches: byGroup }: MatchedClause,
  group: number,
  docs: Uint32Array,
): Promise<Uint32Array[]> {
  const matches = byGroup[group];
  const authors = new Set(fields.filter(({ isAuthor }) => isAuthor).map(({ number }) => number));
  if (!matches || authors.size === 0) return [];
  // Near spellings weigh as little as forms, but a clause that asks for them has no forms.
  const hasForms = clause.any.some(({ inflected }) => inflected);
  const lists = matches.lists.filter(
    ({ field, weight }) => authors.has(field) && (weight === 1 || !hasForms),
  );
  const phrases = matches.phrases.filter(({ field }) => authors.has(field));
  const { exact, forms } = await new ClauseCounter(reader, { ...matches, lists, phrases }).count(docs);
  return [...exact.values(), ...forms.values()].map((counts) => docs.filter((_, at) => counts[at] !== 0));
}
