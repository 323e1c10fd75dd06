/** What each clause of a query adds to the scores of documents. */
import { ColumnKind } from "../index/keys.ts";
import type { ClauseMatches } from "../index/match.ts";
import { computeContribution, computeNorm } from "../index/rank.ts";
import type { CandidateRequest } from "./candidates.ts";
import { ClauseCounter, type FieldCounts } from "./clause-counter.ts";
import { isScored, type MatchedClause } from "./clauses.ts";

/** Scores documents, in ascending order from call to call. */
export class ClauseScorer {
  readonly #request: CandidateRequest;
  readonly #counters: readonly (ClauseCounter | undefined)[];

  constructor(request: CandidateRequest) {
    this.#request = request;
    const { index, at, clauses } = request;
    this.#counters = clauses.map((one) =>
      isScored(one) ? new ClauseCounter(index.reader, one.matches[at] as ClauseMatches) : undefined,
    );
  }

  /** The contribution of each clause to each of `docs` (ascending), in clause order; 0 where it does not match. */
  async score(docs: Uint32Array): Promise<Float64Array[]> {
    const { index, clauses } = this.#request;
    const norms = new Map<number, Float64Array>();
    const contributions: Float64Array[] = [];
    for (const [number, one] of clauses.entries()) {
      const added = new Float64Array(docs.length);
      contributions.push(added);
      const counter = this.#counters[number];
      if (!counter || docs.length === 0) continue;
      const counts = await counter.count(docs);
      for (const field of index.fields) {
        if (norms.has(field.number) || !(counts.exact.has(field.number) || counts.forms.has(field.number)))
          continue;
        const lengths = await index.columns.column(ColumnKind.length, field.number, docs);
        for (let at = 0; at < lengths.length; at += 1) lengths[at] = computeNorm(lengths[at] as number);
        norms.set(field.number, lengths);
      }
      this.#add(added, one, counts, norms);
    }
    return contributions;
  }

  #add(
    added: Float64Array,
    one: MatchedClause,
    { exact, forms }: FieldCounts,
    norms: ReadonlyMap<number, Float64Array>,
  ): void {
    const asked = new Float64Array(added.length);
    const any = forms.size > 0 ? new Float64Array(added.length) : asked;
    // Plain loops: most of the time of a search for common words goes here.
    for (const { number, weight } of this.#request.index.fields) {
      const norm = norms.get(number);
      const own = exact.get(number);
      const other = forms.get(number);
      if (!norm) continue;
      if (own) addFrequencies(asked, own, norm, weight);
      if (own && any !== asked) addFrequencies(any, own, norm, weight);
      if (other) addFrequencies(any, other, norm, weight);
    }
    for (let place = 0; place < added.length; place += 1) {
      const [frequency, all] = [asked[place] as number, any[place] as number];
      if (frequency > 0) added[place] = computeContribution(one.weight, frequency);
      if (any !== asked && all > 0)
        added[place] = Math.max(added[place] as number, computeContribution(one.formWeight, all));
    }
  }
}

function addFrequencies(sums: Float64Array, counts: Float64Array, norm: Float64Array, weight: number): void {
  for (let place = 0; place < sums.length; place += 1) {
    const count = counts[place] as number;
    if (count !== 0) sums[place]! += (weight * count) / (norm[place] as number);
  }
}
