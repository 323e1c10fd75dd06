/** Chooses the records of a scope that are nearest in meaning to a query, by their vectors alone. */
import { ApiError } from "@rungs/contract";
import type { SearchPosition } from "../store.ts";
import { meetsSigns } from "./candidates.ts";
import type { MatchedQuery } from "./matched-query.ts";
import { type SimilarPassage, scanVectors } from "./scan-vectors.ts";
import { createOrder } from "./scoped-index.ts";
import { BestCandidates, type Candidate } from "./select-best.ts";

const NO_MEMBERS: ReadonlySet<number> = new Set();

/** The best after a position, each with its nearest passage, and how many records are similar at all. */
export async function findNearestRecords(
  { sql, owner, requests, meaning, seeksSimilar }: MatchedQuery,
  limit: number,
  after: SearchPosition | undefined,
): Promise<{ readonly best: Candidate[]; readonly count: number }> {
  if (typeof meaning === "string")
    throw new ApiError("embeddings_unavailable", {
      ...(meaning === "off" && { message: "The owner switched off comparing by meaning." }),
      next: "Search without mode, or with mode=lexical.",
    });
  if (!seeksSimilar)
    throw new ApiError("work_limit_exceeded", {
      message: "There are too many records to compare each of them by meaning.",
      next: "Narrow by stream or connection_id, or leave mode out: the best records by words are then compared by meaning.",
    });
  const nearest: ReadonlyMap<number, SimilarPassage>[] = [];
  const best = new BestCandidates(limit, after);
  let count = 0;
  for (const [group, request] of requests.entries()) {
    const found = meaning
      ? await scanVectors(sql, owner, request.index, meaning, { members: NO_MEMBERS, everywhere: true })
      : new Map<number, SimilarPassage>();
    nearest.push(found);
    const docs = Uint32Array.from(found.keys())
      .filter((doc) => meetsSigns(request, doc))
      .sort();
    count += docs.length;
    const scores = Float64Array.from(docs, (doc) => found.get(doc)?.similarity ?? 0);
    await best.offer(group, docs, scores, createOrder(request.index));
  }
  const taken = await best.take();
  return { best: taken.map((one) => ({ ...one, passage: nearest[one.group]?.get(one.doc) })), count };
}
