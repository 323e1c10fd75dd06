/** Folds hits that show nearly the same text under the best of them, so that quoted replies do not fill a page (R67). */

import type { ReadScope } from "@rungs/contract";
import { unitOfChar } from "@rungs/evidence";
import type { SearchRequest, Store, StoredHit, StoredHits, StoredProof } from "@rungs/store";

/** How much of the text on either side of the match is compared: code points that are left after `reduceText`. */
const SIDE_CHARS = 120;
/** Shorter texts are equal by chance. */
const LEAST_CHARS = 40;
const QUOTE_PREFIX = /^[\s>]*/u;
const NOT_COMPARED = /[\p{P}\p{Z}\p{C}>|]/gu;

/** A hit, and the later ones that show nearly the same. */
export interface FoldedHit {
  readonly hit: StoredHit;
  readonly similar: readonly StoredHit[];
  /** How many of the hits, from the first on, hold this one and all that fold under it. */
  readonly span: number;
}

/** Chooses the proof that a hit is compared by; undefined for a hit that never folds. */
export type ChooseProof = (hit: StoredHit) => StoredProof | undefined;

/** The first `limit` hits that are not folded, each with those that fold under it, and how many hits that consumed. */
export function foldHits(
  hits: readonly StoredHit[],
  limit: number,
  chooseProof: ChooseProof,
): { readonly folded: readonly FoldedHit[]; readonly consumed: number } {
  const heads: { hit: StoredHit; similar: StoredHit[]; span: number }[] = [];
  const byText = new Map<string, (typeof heads)[number]>();
  let consumed = 0;
  for (const hit of hits) {
    const proof = chooseProof(hit);
    const text = proof && describeShown(proof);
    const head = text === undefined ? undefined : byText.get(text);
    if (!head && heads.length === limit) break;
    consumed += 1;
    if (head) {
      head.similar.push(hit);
      head.span = consumed;
      continue;
    }
    const added = { hit, similar: [], span: consumed };
    heads.push(added);
    if (text !== undefined) byText.set(text, added);
  }
  return { folded: heads, consumed };
}

/** The text around a proof's first match in the form in which it is compared; undefined where it is too short. */
function describeShown({ text, text_start_chars, matches }: StoredProof): string | undefined {
  const first = matches[0] ?? { start_chars: text_start_chars, end_chars: text_start_chars };
  const start = unitOfChar(text, first.start_chars - text_start_chars);
  const end = unitOfChar(text, first.end_chars - text_start_chars);
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const depth = countQuotes(text.slice(lineStart));
  const before = text.slice(0, lineStart).split("\n").toReversed().slice(1);
  const [rest = "", ...after] = text.slice(end).split("\n");
  const head = [...takeQuoted(before, depth).toReversed(), text.slice(lineStart, start)].join("");
  const tail = [rest, ...takeQuoted(after, depth)].join("");
  const compared = [
    ...reduceText(head).slice(-SIDE_CHARS),
    ...reduceText(text.slice(start, end)),
    ...reduceText(tail).slice(0, SIDE_CHARS),
  ];
  return compared.length >= LEAST_CHARS ? compared.join("") : undefined;
}

/** The lines up to the first that is quoted more or less deeply: what another person wrote is not compared. */
function takeQuoted(lines: readonly string[], depth: number): string[] {
  const other = lines.findIndex((line) => line.trim() !== "" && countQuotes(line) !== depth);
  return other < 0 ? [...lines] : lines.slice(0, other);
}

function countQuotes(line: string): number {
  return (QUOTE_PREFIX.exec(line.split("\n", 1)[0] ?? "")?.[0] ?? "").replaceAll(/[^>]/g, "").length;
}

/** The letters, digits and symbols of a text, in lower case. */
function reduceText(text: string): string[] {
  return Array.from(text.toLowerCase().replaceAll(NOT_COMPARED, ""));
}

/** How many hits are asked for to fill a page with hits that differ, and how often. */
const FOLDING = { ratio: 3, most: 60, reads: 4 };

/** A page of hits that differ, what was found first, and whether there are more. */
interface FoldedPage {
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
