/**
 * Ranks the window: the best records by their own words, the matching records around them in their threads, and the
 * records that are nearest in meaning. A word that only a neighbour has also counts for a record, but less: the answer is often in the
 * next turn.
 */

import { seesThreads } from "@rungs/contract";
import { meetsConditions, type ScopedContext, timeWithin } from "../catalog/scope-sql.ts";
import { Parameters } from "../database.ts";
import { lowerBound } from "../index/list-ranges.ts";
import { computeScore } from "../index/match.ts";
import { ClauseCounter, ClauseScorer } from "./clause-scores.ts";
import type { MatchedClause } from "./clauses.ts";
import type { MatchedQuery } from "./matched-query.ts";
import { type SimilarPassage, scanVectors } from "./scan-vectors.ts";
import { createOrder, type ScopedIndex } from "./scoped-index.ts";
import { BestCandidates, type Candidate, type Order } from "./select-best.ts";

/** The weight of the nearest meaning, as a share of the best score by words. */
const MEANING_WEIGHT = 0.2;

/** The documents of one index that are ranked. */
interface Members {
  readonly docs: Set<number>;
  /** The neighbours of the best documents by words. */
  readonly around: Map<number, Neighbours>;
  /** The nearest passage of each document that has one. */
  nearest: ReadonlyMap<number, SimilarPassage>;
  /** The documents chosen for their meaning. */
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

/** The best documents by words, and the matching ones around them. */
async function gatherMembers(matched: MatchedQuery, group: number, own: readonly number[]): Promise<Members> {
  const { matching } = matched.requests[group] as MatchedQuery["requests"][number];
  const around = await readNeighbours(matched, group, own);
  const docs = new Set(own);
  for (const { before, after } of around.values())
    for (const doc of [...before, ...after]) if (matching.has(doc)) docs.add(doc);
  return { docs, around, nearest: new Map(), similar: new Set() };
}

/** How many records on either side of a record in its thread count as its neighbours. */
const REACH = 2;

/** The neighbours of a document that meet the request's filters, nearest first. */
interface Neighbours {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

async function readNeighbours(
  { sql, owner, requests, parts }: MatchedQuery,
  group: number,
  docs: readonly number[],
): Promise<Map<number, Neighbours>> {
  const { partition, covers, allows } = (requests[group] as MatchedQuery["requests"][number]).index;
  const isThreaded = parts.neighbours && seesThreads(partition.shape, partition.granted);
  if (!isThreaded || docs.length === 0) return new Map();
  // With a scope of single records the nearest neighbours may be out of scope, so look further.
  const depth = partition.scope.record_ids ? 32 : REACH;
  const parameters = new Parameters();
  const ownerParameter = parameters.add(owner);
  const docsParameter = parameters.add(docs);
  const columns = Array.from({ length: depth }, (_, offset) =>
    [
      { name: "before", compare: "<", order: "DESC" },
      { name: "after", compare: ">", order: "ASC" },
    ].map(({ name, compare, order }) => {
      const inside = [
        ...timeWithin(parameters, partition.scope.time, "t.time_ms"),
        ...meetsConditions({ sql, owner, partition }, parameters, "t.doc"),
        ...notHidden({ sql, owner, partition }, parameters, "t.doc"),
      ].map((one) => ` AND ${one}`);
      return `(SELECT t.doc FROM threads t WHERE t.owner = x.owner AND t.part = x.part AND t.thread = x.thread
        AND (t.time_ms, t.place) ${compare} (x.time_ms, x.place)${inside.join("")}
        ORDER BY t.time_ms ${order}, t.place ${order} LIMIT 1 OFFSET ${offset}) AS ${name}${offset}`;
    }),
  ).flat();
  const rows = await sql.all<Record<string, number | null>>(
    `SELECT x.doc, ${columns.join(", ")} FROM threads x WHERE x.owner = ${ownerParameter} AND ${sql.dialect.isAnyNumber("x.doc", docsParameter)}`,
    parameters.values,
  );
  return new Map(
    rows.map((row) => {
      const list = (name: string) =>
        Array.from({ length: depth }, (_, offset) => row[`${name}${offset}`])
          .filter((doc) => typeof doc === "number")
          .filter((doc) => covers?.(doc) ?? true)
          .slice(0, REACH)
          .filter((doc) => allows?.(doc) ?? true);
      return [row.doc as number, { before: list("before"), after: list("after") }];
    }),
  );
}

/** Neighbours that the owner hides by key do not count: the next one takes their place. */
function notHidden({ sql, owner, partition }: ScopedContext, parameters: Parameters, doc: string): string[] {
  const ids = partition.scope.never?.record_ids ?? [];
  if (ids.length === 0) return [];
  return [
    `${doc} NOT IN (SELECT r.doc FROM records r WHERE r.owner = ${parameters.add(owner)} AND r.part = ${parameters.add(partition.id)} AND ${sql.dialect.isAnyText("r.record_id", parameters.add(ids))})`,
  ];
}

/** Looks up how near the members are in meaning, and adds the documents that are nearest. */
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
  const neighbours = new Map([...around, ...(await readNeighbours(matched, group, added))]);
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

/**
 * Those of `docs` (ascending) whose author a clause names, exactly or by a near spelling. Inflected forms name nobody.
 */
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

/** The bonus of a record that has all the words itself, rather than some from its neighbours. It falls steeply with fewer words of its own. */
const WHOLE = { weight: 0.7, power: 6 };

/** The weight of a word that the nearest or the second neighbour has. */
const LENT = [0.5, 0.3];

/** The minimum weight of an author's name: as much as a word in one of 190 records. */
const AUTHOR_WEIGHT = 12;

interface ScoredWindow {
  readonly docs: Uint32Array;
  readonly scores: Float64Array;
}

interface PooledRequest {
  readonly clauses: readonly MatchedClause[];
  readonly total: number;
  /** The documents of `contributions`, ascending. */
  readonly docs: Uint32Array;
  readonly contributions: readonly Float64Array[];
  /** The documents to score, ascending. */
  readonly members: Uint32Array;
  readonly neighbours: ReadonlyMap<number, Neighbours>;
  /** For each clause, the documents whose author it names, ascending. */
  readonly byAuthor: readonly (readonly Uint32Array[])[];
}

function addUpPooled(request: PooledRequest): ScoredWindow {
  const { clauses, total, docs, contributions, members, neighbours } = request;
  const scores = new Float64Array(members.length);
  for (const [at, doc] of members.entries()) {
    const places = [{ place: lowerBound(docs, doc), share: 1 }];
    const { before = [], after = [] } = neighbours.get(doc) ?? {};
    for (const side of [before, after])
      for (const [far, one] of side.entries())
        places.push({ place: lowerBound(docs, one), share: LENT[far] as number });
    let sum = 0;
    let covered = 0;
    let own = 0;
    for (const [number, { weight }] of clauses.entries()) {
      let most = 0;
      for (const { place, share } of places)
        most = Math.max(most, share * ((contributions[number] as Float64Array)[place] as number));
      if (most === 0) continue;
      sum += most;
      covered += weight;
      if (((contributions[number] as Float64Array)[places[0]!.place] as number) > 0) own += weight;
    }
    if (sum === 0) continue;
    const whole = 1 + WHOLE.weight * (own / total) ** WHOLE.power;
    scores[at] = computeScore(sum, covered, total) * whole + liftAuthor(request, doc);
  }
  return { docs: members, scores };
}

/** The largest amount by which the weight of a clause that names the author falls short of the minimum. */
function liftAuthor({ clauses, byAuthor }: PooledRequest, doc: number): number {
  let lift = 0;
  for (const [number, { clause, weight }] of clauses.entries()) {
    if (clause.need === "excluded" || weight >= AUTHOR_WEIGHT) continue;
    if (byAuthor[number]?.some((docs) => docs[lowerBound(docs, doc)] === doc))
      lift = Math.max(lift, AUTHOR_WEIGHT - weight);
  }
  return lift;
}

/** Adds the share of meaning to each score by words; both are relative to the best in the window. */
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
