/** Scores records with their neighbours: a word counts in full if the record has it, and less if only a neighbour has it. */
import { lowerBound } from "../index/list-ranges.ts";
import { computeScore } from "./candidates.ts";
import type { MatchedClause } from "./clauses.ts";
import type { Neighbours } from "./neighbours.ts";

/** What a record with all the words itself counts more than one whose neighbours lend some of them; less falls steeply. */
const WHOLE = { weight: 0.7, power: 6 };

/** The weight of a word that the first or the second neighbour has. */
const LENT = [0.5, 0.3];

/** What the name of a record's author counts at least: as much as a word that one record in 190 has. */
const AUTHOR_WEIGHT = 12;

export interface ScoredWindow {
  readonly docs: Uint32Array;
  readonly scores: Float64Array;
}

export interface PooledRequest {
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

export function addUpPooled(request: PooledRequest): ScoredWindow {
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

/** What is missing to the least that a named author counts. */
function liftAuthor({ clauses, byAuthor }: PooledRequest, doc: number): number {
  const least = AUTHOR_WEIGHT;
  let lift = 0;
  for (const [number, { clause, weight }] of clauses.entries()) {
    if (clause.need === "excluded" || weight >= least) continue;
    if (byAuthor[number]?.some((docs) => docs[lowerBound(docs, doc)] === doc))
      lift = Math.max(lift, least - weight);
  }
  return lift;
}
