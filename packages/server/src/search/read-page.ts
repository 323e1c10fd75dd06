import type { ReadScope } from "@rungs/contract";
import type { SearchRequest, Store, StoredHits } from "@rungs/store";
import { type ChooseProof, type FoldedHit, foldHits } from "./fold-hits.ts";

/** How many hits are asked for to fill a page with hits that differ, and how often. */
const FOLDING = { ratio: 3, most: 60, reads: 4 };

/** A page of hits that differ, what was found first, and whether there are more. */
export interface FoldedPage {
  readonly folded: readonly FoldedHit[];
  readonly found: StoredHits;
  /** The last hit that the page shows or folds. */
  readonly last: StoredHits["hits"][number] | undefined;
  readonly consumed: number;
  readonly has_more: boolean;
}

/** Reads on while folding leaves the page short, a bounded number of times (R67). */
export async function readFoldedPage(
  store: Pick<Store, "search">,
  scope: ReadScope,
  request: SearchRequest,
  chooseProof: ChooseProof | undefined,
): Promise<FoldedPage> {
  const { limit } = request;
  const most = chooseProof ? Math.max(limit, Math.min(FOLDING.ratio * limit, FOLDING.most)) : limit;
  const found = await store.search(scope, { ...request, limit: most });
  const hits = [...found.hits];
  let isMore = found.has_more;
  let page = foldHits(hits, limit, chooseProof ?? (() => undefined));
  for (
    let reads = 1;
    chooseProof && isMore && page.folded.length < limit && reads < FOLDING.reads;
    reads += 1
  ) {
    const after = hits.at(-1)?.position;
    const next = await store.search(scope, { ...request, limit: most, after, facets: undefined });
    hits.push(...next.hits);
    isMore = next.has_more && next.hits.length > 0;
    page = foldHits(hits, limit, chooseProof);
  }
  return {
    ...page,
    found,
    last: hits[page.consumed - 1],
    has_more: isMore || page.consumed < hits.length,
  };
}
