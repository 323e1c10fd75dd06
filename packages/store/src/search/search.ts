/**
 * Search: bare words rank, required and excluded clauses decide (R60). The best records by their own words form the
 * rank window, which is ranked again with neighbours and authors; the rest follows in the order of their own words.
 */
import type { FormFinder, Query } from "@rungs/evidence";
import type { Catalog } from "../catalog/catalog.ts";
import type { WriteTarget } from "../catalog/counters.ts";
import type { ScopedPartition } from "../catalog/scoped-partition.ts";
import { ColumnCache } from "../index/column-reader.ts";
import { DocSet } from "../index/doc-set.ts";
import { FactCache } from "../read/fact-cache.ts";
import type {
  RankingParts,
  ScalarFilter,
  SearchPosition,
  SearchRequest,
  Store,
  StoredHits,
  StoredWord,
  StoreOptions,
} from "../store.ts";
import {
  type CandidateRequest,
  listMatching,
  listWithAll,
  offerBest,
  offerCovering,
  sumWeights,
} from "./candidates.ts";
import { type MatchedClause, matchQuery } from "./clauses.ts";
import { countFacets } from "./facets.ts";
import type { MatchedQuery } from "./matched-query.ts";
import { NarrowIndexes } from "./narrow-index.ts";
import { findNearestRecords } from "./nearest.ts";
import { rankWindow } from "./rank-window.ts";
import { readHits } from "./read-hits.ts";
import { describeMeaning, readMeaning } from "./scan-vectors.ts";
import { openScopedIndex, type ScopedIndex, type SearchCaches } from "./scoped-index.ts";
import { BestCandidates, type Candidate, takeBest } from "./select-best.ts";

/** `order: newest` lists the records that have at least this share of the words' weight. */
const NEWEST_SHARE = 0.7;

interface SearchOptions {
  readonly window: number;
  readonly similar_scan: number;
  readonly expansion: number;
  readonly ranking?: StoreOptions["ranking"];
}

export function createSearch(
  { database, embedders }: WriteTarget,
  catalog: Catalog,
  { window, similar_scan, expansion, ranking }: SearchOptions,
) {
  const parts = { ...everyPart, ...ranking };
  const caches: SearchCaches = {
    columns: new ColumnCache(),
    languages: new Map(),
    selections: new FactCache(),
    selected: new FactCache(),
    narrow: new NarrowIndexes(),
  };
  return {
    async search(scope, request) {
      const owner = await catalog.requireOwner(scope.owner_id);
      const { query, order, mode } = request;
      const compares = parts.meaning && comparesMeaning(request);
      const embedder = compares ? await database.peek(owner, (sql) => embedders.find({ sql, owner })) : null;
      const absent = compares && mode ? ("off" as const) : undefined;
      const meaning = embedder ? await readMeaning(embedder, query) : absent;
      return database.read(owner, async (sql) => {
        const indexes: ScopedIndex[] = [];
        for (const partition of await catalog.listScopedPartitions({ sql, owner }, scope)) {
          const filters = listFilters(request, partition);
          const index = await openScopedIndex(sql, owner, partition, filters, { caches, expansion });
          if (index) indexes.push(limitIndex(index, parts));
        }
        const clauses = await matchQuery(query, indexes, parts);
        const requests = indexes.map((index, at) => ({
          index,
          at,
          clauses,
          matching: listMatching({ at, clauses }),
        }));
        const seeksSimilar = indexes.reduce((sum, index) => sum + index.total, 0) <= similar_scan;
        const total = sumWeights(clauses);
        const matched = {
          sql,
          owner,
          indexes,
          clauses,
          requests,
          window,
          parts,
          total,
          meaning,
          seeksSimilar,
        };
        if (mode === "semantic") return searchNearest(matched, request);
        return order === "newest" ? searchNewest(matched, request) : searchBest(matched, request);
      });
    },
  } satisfies Partial<Store>;
}

function comparesMeaning({ query, order, mode }: SearchRequest): boolean {
  if (mode === "semantic") return true;
  return mode !== "lexical" && order !== "newest" && hasOnlyWords(query);
}

/** Whether a query has only wanted words: phrases, operators and prefixes ask for exact matches. */
function hasOnlyWords({ clauses }: Query): boolean {
  return clauses.every(({ need, text }) => need === "wanted" && !text.includes("*"));
}

function listFilters({ filters = [] }: SearchRequest, partition: ScopedPartition): readonly ScalarFilter[] {
  const own = filters.filter(
    ({ connection_id, stream }) => connection_id === partition.connection_id && stream === partition.stream,
  );
  return own.flatMap((one) => one.filters);
}

async function searchBest(matched: MatchedQuery, request: SearchRequest): Promise<StoredHits> {
  const { limit, after } = request;
  const own = await chooseWindow(matched);
  const window = await rankWindow(matched, own);
  const best = !after || after.tier === 0 ? takeBest(window, limit + 1, after) : [];
  const hits = await readHits(matched, best, { limit: limit + 1, tier: 0, after });
  if (hits.length <= limit && own.length >= matched.window) {
    const rest = await chooseRest(matched, window, limit + 1 - hits.length, after);
    hits.push(...(await readHits(matched, rest, { limit: limit + 1 - hits.length, tier: 1, after })));
  }
  return toPage(matched, request, hits);
}

async function searchNewest(matched: MatchedQuery, request: SearchRequest): Promise<StoredHits> {
  const { limit, after } = request;
  const newest = new BestCandidates(limit + 1, after);
  for (const one of matched.requests) await offerCovering(one, newest, NEWEST_SHARE * matched.total);
  const best = await newest.take();
  const hits = await readHits(matched, best, { limit: limit + 1, tier: 1, after });
  return toPage(matched, request, hits);
}

/** The records that are similar in meaning, nearest first, whether or not they have the words. */
async function searchNearest(matched: MatchedQuery, request: SearchRequest): Promise<StoredHits> {
  const { limit, after } = request;
  const { best, count } = await findNearestRecords(matched, limit + 1, after);
  const hits = await readHits(matched, best, { limit: limit + 1, tier: 0, after });
  return { ...(await toPage(matched, request, hits)), count };
}

async function toPage(
  matched: MatchedQuery,
  request: SearchRequest,
  hits: StoredHits["hits"],
): Promise<StoredHits> {
  const { requests, clauses } = matched;
  const { query, limit } = request;
  const meaning = await describeMeaning(matched, (partition) => listFilters(request, partition));
  return {
    hits: hits.slice(0, limit),
    has_more: hits.length > limit,
    count: countDocs(requests, ({ matching }) => matching),
    count_all: countDocs(requests, listWithAll),
    words: describeWords(query, clauses),
    ...(meaning && { meaning }),
    ...(request.facets && { facets: await countFacets(matched) }),
  };
}

function countDocs(
  requests: readonly CandidateRequest[],
  list: (request: CandidateRequest) => DocSet,
): number {
  return requests.reduce((sum, request) => sum + list(request).size, 0);
}

/** Reports each word of a query: how many records have it, and what was searched instead (R61). */
function describeWords(query: Query, clauses: readonly MatchedClause[]): StoredWord[] {
  return query.clauses.map(({ text, need }, at) => {
    const matched = clauses.filter(({ asked }) => asked === at);
    const widened = matched.flatMap((one) => one.widened ?? []);
    const found = widened.length === 0 ? (matched[0]?.count ?? 0) : 0;
    return {
      text,
      need,
      count: found,
      ...(widened.length === 0 ? {} : { widened: [...new Set(widened)] }),
      ...(matched.every(({ isLight }) => isLight) ? { light: true as const } : {}),
      ...(matched.some(({ cut }) => cut) ? { cut: true as const } : {}),
    };
  });
}

/** The best records by their own words. */
async function chooseWindow({ requests, total, window }: MatchedQuery): Promise<Candidate[]> {
  const best = new BestCandidates(window);
  for (const request of requests) await offerBest(request, best, total);
  return best.choose();
}

/** The records after the window, in the order of their own words. */
async function chooseRest(
  { requests, total }: MatchedQuery,
  window: readonly Candidate[],
  count: number,
  after: SearchPosition | undefined,
): Promise<Candidate[]> {
  const best = new BestCandidates(count, after?.tier === 1 ? after : undefined);
  for (const request of requests) {
    const taken = DocSet.of(window.filter(({ group }) => group === request.at).map(({ doc }) => doc));
    await offerBest(request, best, total, taken);
  }
  return best.take();
}

/** Every part of ranking is on, unless a measurement of what a part is worth turns it off. */
const everyPart: RankingParts = {
  word_frequency: true,
  forms: true,
  near_spellings: true,
  author: true,
  neighbours: true,
  meaning: true,
};

const noForms: FormFinder = { isForm: () => false, listPrefixes: () => [] };

/** The index without the forms and the authors, where those are off. */
function limitIndex(index: ScopedIndex, { forms, author }: RankingParts): ScopedIndex {
  if (forms && author) return index;
  return {
    ...index,
    forms: forms ? index.forms : noForms,
    fields: author ? index.fields : index.fields.map((field) => ({ ...field, isAuthor: false })),
  };
}
