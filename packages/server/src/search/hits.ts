/**
 * Hits as they appear in answers: declared roles describe each one, and hits that show nearly the same text fold under
 * the best of them, so that quoted replies do not fill a page (R67).
 */

import { findThread, parseTimeMs, type ReadScope, type StreamShape, seesThreads } from "@rungs/contract";
import {
  type Continuation,
  createCard,
  createEvidence,
  formatFieldPath,
  formatRecordId,
  parseFieldPath,
  type Query,
  type RoleFields,
  type SearchHit,
  unitOfChar,
} from "@rungs/evidence";
import type { SearchMode, SearchRequest, Store, StoredHit, StoredHits, StoredProof } from "@rungs/store";
import type { Authority, Sources } from "../access/authority.ts";

/** How much of a field each piece of evidence shows: short ones whole. */
const PREVIEW_CHARS = 240;
const WHOLE_CHARS = 500;

interface HitContext extends Pick<Authority, "sources" | "scope"> {
  readonly query: Query;
  /** The mode that the search named. */
  readonly mode: SearchMode | undefined;
}

/** Describes a hit for the wire: its id, its card by declared roles, and what was proven about it. */
export function describeHit(hit: StoredHit, { sources, scope, query, mode }: HitContext): SearchHit {
  const { connection_id, stream, record_id, data, matched_fields, proofs } = hit;
  const source = sources.get(connection_id);
  const shape = source?.shapes.get(stream);
  const roles = shape ? listRoles(shape) : {};
  const card = createCard(roles, data);
  const author_field = card.actor && roles.actor?.find((name) => data[name] != null && data[name] !== "");
  const id = formatRecordId(hit);
  return {
    object: "search_result",
    id,
    connection_id,
    connector_key: source?.connector_key ?? null,
    display_name: source?.display_name ?? null,
    stream,
    record_id,
    title: card.title ?? null,
    event_time: card.event_time ?? null,
    emitted_at: hit.emitted_at,
    author: card.actor ?? null,
    ...(author_field && { author_field }),
    words: hit.matched_clauses.flatMap((at) => query.clauses[at]?.text ?? []),
    matched_fields: [...matched_fields],
    evidence: proofs.map((proof) =>
      createEvidence(
        hit,
        { ...proof, mime_type: findMediaType(shape, proof) },
        {
          preview_chars: proof.size_chars <= WHOLE_CHARS ? WHOLE_CHARS : PREVIEW_CHARS,
        },
      ),
    ),
    ...(mode && { retrieval_sources: listRetrievalSources(hit, mode) }),
    ...(shape && isInThread(hit, shape, scope) && { thread: { operation: "read_thread", args: { id } } }),
  };
}

/** A record that neither contains a word nor is similar was found through its neighbours. */
function listRetrievalSources({ matched_clauses, is_similar }: StoredHit, mode: SearchMode) {
  const isLexical = mode !== "semantic" && (matched_clauses.length > 0 || !is_similar);
  return [...(isLexical ? ["lexical" as const] : []), ...(is_similar ? ["semantic" as const] : [])];
}

function findMediaType(shape: StreamShape | undefined, { field_path }: StoredProof): string | undefined {
  const path = parseFieldPath(field_path);
  return path?.length === 1 ? shape?.fields.find(({ name }) => name === path[0])?.media_type : undefined;
}

/** Whether the records around a hit can be read: applies the store's rule without asking it again. */
function isInThread(
  { connection_id, stream, data }: StoredHit,
  shape: StreamShape,
  { streams }: ReadScope,
): boolean {
  const limits = streams.find((each) => each.connection_id === connection_id && each.stream === stream);
  const time = shape.consent_time_field;
  return (
    time !== undefined &&
    seesThreads(shape, new Set(limits?.fields)) &&
    findThread(shape, data) !== undefined &&
    parseTimeMs(data[time]) !== undefined
  );
}

/** How many folded records a hit names; its call lists them all. */
const SIMILAR_IDS = 10;

/** Describes the hits that fold under one (R67). */
export function describeSimilar(
  hits: readonly StoredHit[],
  open: Continuation & { readonly operation: "search" },
): NonNullable<SearchHit["similar"]> {
  return { count: hits.length, ids: hits.slice(0, SIMILAR_IDS).map(formatRecordId), open };
}

/** The proof that distinguishes hits: the first that is not a title, which all messages of a thread may share. */
export function chooseTellingProof({ connection_id, stream, proofs }: StoredHit, sources: Sources) {
  const fields = sources.get(connection_id)?.shapes.get(stream)?.fields ?? [];
  const titles = fields
    .filter(({ role }) => role === "primary-title")
    .map(({ name }) => formatFieldPath([name]));
  return proofs.find(({ field_path }) => !titles.includes(field_path));
}

function listRoles({ fields }: StreamShape): RoleFields {
  const roles = Map.groupBy(
    fields.filter(({ role }) => role !== undefined),
    ({ role }) => role,
  );
  return Object.fromEntries([...roles].map(([role, group]) => [role, group.map(({ name }) => name)]));
}

/** How much text on either side of the match to compare, in code points left after `reduceText`. */
const SIDE_CHARS = 120;
/** Shorter texts may be equal by chance. */
const LEAST_CHARS = 40;
const QUOTE_PREFIX = /^[\s>]*/u;
const NOT_COMPARED = /[\p{P}\p{Z}\p{C}>|]/gu;

/** A hit, and the later ones that show nearly the same text. */
export interface FoldedHit {
  readonly hit: StoredHit;
  readonly similar: readonly StoredHit[];
  /** The length of the shortest prefix of the hits that holds this one and all that fold under it. */
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

/** The text around a proof's first match, reduced for comparison; undefined where it is too short. */
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

/** The lines up to the first with a different quote depth: what another person wrote is not compared. */
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

/** How many hits to request for a page of distinct hits, and how many times. */
const FOLDING = { ratio: 3, most: 60, reads: 4 };

/** A page of distinct hits, the hits as first found, and whether there are more. */
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
