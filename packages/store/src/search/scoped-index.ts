/** The index of a partition, limited to a scope: fields, documents, languages. */

import type { FormFinder } from "@rungs/evidence";
import { hasConditions, recordInScope, type ScopedContext } from "../catalog/scope-sql.ts";
import type { ScopedPartition } from "../catalog/scoped-partition.ts";
import { FEW_DOCS, readSelection, type Selection, withSelected } from "../catalog/selection.ts";
import { Parameters, type Sql } from "../database.ts";
import { type ColumnCache, ColumnReader } from "../index/column-reader.ts";
import { AllBut, type DocFilter, DocSet } from "../index/doc-set.ts";
import { ColumnKind } from "../index/keys.ts";
import { detectLanguages, listLanguageMarkers } from "../index/language-markers.ts";
import type { Allows } from "../index/match.ts";
import { IndexReader } from "../index/reader.ts";
import type { FactCache } from "../read/fact-cache.ts";
import { eachFiltered } from "../read/filters.ts";
import type { ScalarFilter } from "../store.ts";
import { loadForms } from "./languages.ts";
import type { NarrowIndex, NarrowIndexes } from "./narrow-index.ts";
import { createBlockReader, listDead, listSegments, type Segment } from "./segments.ts";
import type { Order } from "./select-best.ts";

export interface SearchedField {
  readonly name: string;
  readonly number: number;
  readonly weight: number;
  readonly isAuthor: boolean;
}

export interface ScopedIndex {
  readonly partition: ScopedPartition;
  readonly reader: IndexReader;
  readonly columns: ColumnReader;
  readonly fields: readonly SearchedField[];
  /** Whether the scope covers a document. */
  readonly covers: Allows;
  /** Whether it also meets the request's filters. */
  readonly allows: Allows;
  /** How many documents `allows` lets through. */
  readonly total: number;
  /** Those documents, where they are few. */
  readonly few: ReadonlySet<number> | undefined;
  /** An index of only the documents that conditions select; then `columns` and `reader` read it too. */
  readonly narrow: NarrowIndex | undefined;
  /** How many terms a prefix, or the forms of a word, may stand for. */
  readonly expansion: number;
  readonly forms: FormFinder;
}

/** The weight of an occurrence in a field of this role; 1 for all others. */
const ROLE_WEIGHTS: Readonly<Record<string, number>> = { "primary-title": 2 };

/** Caches that searches share: columns and detected languages. */
export interface SearchCaches {
  readonly columns: ColumnCache;
  readonly languages: Map<string, readonly string[]>;
  /** Cached selections for streams with parents, which take a lookup for each record. */
  readonly selections: FactCache<Selection>;
  /** The documents that scopes select, where they are few. */
  readonly selected: FactCache<ScopedContext["selected"]>;
  readonly narrow: NarrowIndexes;
}

const LANGUAGES_HELD = 512;

/** Opens a partition's index; undefined when none of its granted fields is searched. */
export async function openScopedIndex(
  sql: Sql,
  owner: number,
  partition: ScopedPartition,
  filters: readonly ScalarFilter[],
  { caches, expansion }: { readonly caches: SearchCaches; readonly expansion: number },
): Promise<ScopedIndex | undefined> {
  const fields = listSearchedFields(partition);
  if (fields.length === 0) return undefined;
  const context = await select({ sql, owner, partition }, caches);
  const narrow = context.selected && (await caches.narrow.find(context, context.selected));
  const stored = narrow ? [] : await listSegments(sql, owner, partition.id);
  const segments = narrow?.segments ?? stored;
  const blocks = narrow?.openBlocks(sql.budget) ?? createBlockReader(sql, owner);
  const columns = new ColumnReader(owner, segments, blocks, caches.columns);
  const dead = context.selected || partition.scope.record_ids ? [] : await listDead(sql, owner, partition.id);
  const limits = await readLimits(context, { segments: stored, gone: dead, columns, caches });
  const { docs, total } = filters.length === 0 ? limits : await applyFilters(context, limits, filters);
  const reader = new IndexReader(segments, blocks, docs);
  const key = JSON.stringify([
    owner,
    segments.map(({ id }) => id),
    dead.length,
    fields.map(({ number }) => number),
    partition.scope,
    filters,
  ]);
  let languages = caches.languages.get(key);
  if (!languages) {
    languages = await findLanguages(reader, fields);
    if (caches.languages.size >= LANGUAGES_HELD) caches.languages.clear();
    caches.languages.set(key, languages);
  }
  return {
    partition,
    reader,
    columns,
    fields,
    covers: toAllows(limits.docs),
    allows: toAllows(docs),
    total,
    few: docs instanceof DocSet && total <= FEW_DOCS ? new Set(docs.list()) : undefined,
    narrow,
    expansion,
    forms: await loadForms(languages),
  };
}

/** The context with the documents that conditions select, where they are few. */
async function select(context: ScopedContext, { selected }: SearchCaches): Promise<ScopedContext> {
  const { partition } = context;
  if (!hasConditions(partition)) return context;
  const [held] = await selected.list(
    context,
    [partition],
    async () => (await withSelected(context)).selected,
  );
  return { ...context, selected: held };
}

/** The granted fields that are searched, in order of the manifest. */
function listSearchedFields(partition: ScopedPartition): SearchedField[] {
  return partition.shape.fields
    .filter(({ name, lexical }) => lexical.length > 0 && partition.granted.has(name))
    .map(({ name, role }) => ({
      name,
      number: partition.fieldNames.indexOf(name),
      weight: ROLE_WEIGHTS[role ?? ""] ?? 1,
      isAuthor: role === "actor",
    }));
}

/** Looks up marker words in the dictionary; for languages that have all of them there, checks the documents in scope. */
async function findLanguages(reader: IndexReader, fields: readonly SearchedField[]): Promise<string[]> {
  const likely = detectLanguages(await reader.markers());
  if (likely.length === 0) return [];
  const lists = listLanguageMarkers(likely).flatMap((term) =>
    fields.map(({ number }) => ({ term, field: number })),
  );
  const present = await reader.present(lists);
  return detectLanguages(new Set(lists.filter((_, at) => present[at]).map(({ term }) => term)));
}

/** Documents in scope; undefined for all, and their number. */
interface Limits {
  readonly docs: DocFilter | undefined;
  readonly total: number;
}

function toAllows(docs: DocFilter | undefined): Allows {
  return docs && ((doc) => docs.has(doc));
}

/** The documents inside the limits that meet every filter (R68). */
async function applyFilters(
  context: ScopedContext,
  { docs }: Limits,
  filters: readonly ScalarFilter[],
): Promise<Limits> {
  let met: DocFilter | undefined = docs;
  let found = new DocSet();
  for (const filter of filters) {
    found = new DocSet();
    await eachFiltered(context, filter, (doc) => {
      if (met?.has(doc) ?? true) found.add(doc);
    });
    met = found;
  }
  return { docs: found, total: found.size };
}

interface Indexed {
  readonly segments: readonly Segment[];
  readonly gone: readonly number[];
  readonly columns: ColumnReader;
  readonly caches: SearchCaches;
}

/** The documents of a partition that exist and are within the scope's limits, and their number. */
async function readLimits(
  context: ScopedContext,
  { segments, gone, columns, caches }: Indexed,
): Promise<Limits> {
  const { sql, partition, selected } = context;
  const { time, record_ids } = partition.scope;
  if (selected) return { docs: DocSet.of(selected), total: selected.length };
  if (record_ids) {
    const parameters = new Parameters();
    const rows = await sql.all<{ doc: number }>(
      `SELECT r.doc FROM records r WHERE ${recordInScope(context, parameters, "r")}`,
      parameters.values,
    );
    return { docs: DocSet.of(rows.map((row) => row.doc)), total: rows.length };
  }
  const { included, excluded } = await readOwnSelection(context, caches);
  const hidden = excluded.size;
  const out = excluded.unite(DocSet.of(gone));
  if (time?.since_ms === undefined && time?.until_ms === undefined) {
    if (included) return toLimits(included.subtract(out));
    return {
      docs: out.isEmpty ? undefined : new AllBut(out),
      total: segments.reduce((sum, { doc_count }) => sum + doc_count, 0) - gone.length - hidden,
    };
  }
  const since = time.since_ms ?? Number.NEGATIVE_INFINITY;
  const until = time.until_ms ?? Number.POSITIVE_INFINITY;
  const inside = new DocSet();
  await columns.eachTime((doc, time_ms) => {
    if (time_ms >= since && time_ms < until && !out.has(doc)) inside.add(doc);
  });
  return toLimits(included ? inside.intersect(included) : inside);
}

/** The selection, as sets that may be changed. */
async function readOwnSelection(context: ScopedContext, { selections }: SearchCaches): Promise<Selection> {
  const { partition } = context;
  const isAll = !hasConditions(partition) && !partition.scope.never?.record_ids.length;
  if (isAll) return { included: undefined, excluded: new DocSet() };
  if (partition.parents.length === 0) return readSelection(context);
  const [held] = await selections.list(context, [partition], () => readSelection(context));
  const { included, excluded } = held as Selection;
  return { included: included && new DocSet().unite(included), excluded: new DocSet().unite(excluded) };
}

function toLimits(docs: DocSet): Limits {
  return { docs, total: docs.size };
}

/**
 * The tie-break between equal scores: newest first if the scope covers the time, then a number that reveals nothing.
 */
export function createOrder({ partition, columns }: ScopedIndex): (docs: Uint32Array) => Promise<Order[]> {
  const field = partition.shape.consent_time_field;
  const granted = field !== undefined && partition.granted.has(field);
  return async (docs) => {
    const ties = await columns.column(ColumnKind.tie, 0, docs);
    const times = granted ? await columns.times(docs) : new Float64Array(docs.length).fill(Number.NaN);
    return Array.from(docs, (_, at) => {
      const time = times[at] as number;
      return { time_ms: Number.isNaN(time) ? null : time, tie: ties[at] as number };
    });
  };
}
