/** Random reads of every kind: both engines must give the same answer, and the oracle must agree. */
import assert from "node:assert/strict";
import type { ReadScope } from "@rungs/contract";
import { parseFieldPath, valueAt } from "@rungs/evidence";
import type { Random } from "../../../../testing/random.ts";
import { askBoth, assertHits, assertRecord, factsOf, textOf } from "../../../../testing/store/compare.ts";
import { nearPlacesIn, placesIn } from "../../../../testing/store/matching.ts";
import type { Covered, Held, Oracle } from "../../../../testing/store/oracle.ts";
import { aggregateAll, listAll } from "../../../../testing/store/oracle-lists.ts";
import { searchAll } from "../../../../testing/store/oracle-search.ts";
import { readThread } from "../../../../testing/store/oracle-threads.ts";
import {
  randomAggregate,
  randomList,
  randomPath,
  randomQuery,
  randomScope,
  randomStreamFilters,
} from "../../../../testing/store/random-questions.ts";
import type { ListPosition, SearchPosition, Store, StoredRecord, StoredRef } from "../store.ts";

/** The rank window of the stores: small, so that pages go beyond it. */
export const RANK_WINDOW = 5;
/** Up to how many records in scope the stores look for similar passages in all of them: some scopes have more. */
export const SIMILAR_SCAN = 60;
/** So few that prefixes are often cut. */
export const EXPANSION = 3;

export class ReadComparisons {
  readonly #random: Random;
  readonly #oracle: Oracle;
  readonly #owners: readonly string[];
  readonly #stores: readonly [Store, Store];

  constructor(random: Random, oracle: Oracle, owners: readonly string[], stores: readonly [Store, Store]) {
    this.#random = random;
    this.#oracle = oracle;
    this.#owners = owners;
    this.#stores = stores;
  }

  async search(): Promise<void> {
    const { owner_id, scope } = this.#pickScope();
    const { query } = randomQuery(this.#random, this.#oracle, owner_id);
    const order = this.#random.pick(["relevance", "relevance", "relevance", "newest"] as const);
    const limits = { window: RANK_WINDOW, similar_scan: SIMILAR_SCAN, expansion: EXPANSION };
    const filters = this.#random.chance(0.6) ? [] : randomStreamFilters(this.#random, this.#oracle, scope);
    const wanted = await searchAll(this.#oracle, scope, query, limits, order, filters);
    const limit = this.#random.pick([1, 3, 10, 50]);
    let after: SearchPosition | undefined;
    for (let start = 0; start < 2 * limit; start += limit) {
      const from = after as SearchPosition | undefined;
      const page = await this.#both((store) =>
        store.search(scope, { query, limit, after: from, order, filters, facets: true }),
      );
      assert.deepEqual([page.count, page.count_all], [wanted.count, wanted.count_all]);
      assert.deepEqual(page.words, wanted.words);
      assert.deepEqual(page.meaning, wanted.meaning);
      assert.deepEqual(page.facets, wanted.facets);
      assert.equal(page.has_more, wanted.hits.length > start + limit);
      assertHits(this.#oracle, scope, page.hits, wanted.hits.slice(start, start + limit));
      after = page.hits.at(-1)?.position;
      if (!page.has_more) return;
    }
  }

  async window(): Promise<void> {
    const { scope, ref, held } = this.#pickRecord();
    const path = randomPath(this.#random, held?.data ?? {});
    const text = this.#textAt(scope, held, path);
    const start = this.#random.int(0, (text === undefined ? 0 : Array.from(text).length) + 2);
    const end = start + this.#random.pick([0, 1, 100, 4_096]);
    const facts = await this.#both((store) => store.describeField(scope, ref, path));
    const slice = await this.#both((store) => store.readField(scope, ref, path, { start, end }));
    if (text === undefined) return assert.deepEqual([facts, slice], [undefined, undefined]);
    const kind = typeof valueAt(held?.data, parseFieldPath(path) ?? []) === "string" ? "text" : "json";
    assert.deepEqual(facts, { kind, ...factsOf(text) });
    const chars = Array.from(text).slice(start, end);
    const from = Math.min(start, facts?.size_chars ?? 0);
    assert.deepEqual(slice, {
      ...facts,
      text: chars.join(""),
      start_chars: from,
      end_chars: from + chars.length,
    });
  }

  async find(): Promise<void> {
    const { scope, ref, held } = this.#pickRecord();
    const path = randomPath(this.#random, held?.data ?? {});
    const text = this.#textAt(scope, held, path);
    const { query } = randomQuery(this.#random, this.#oracle, scope.owner_id);
    const from = this.#random.chance(0.5) ? 0 : this.#random.int(0, text?.length ?? 0);
    const match = await this.#both((store) => store.findInField(scope, ref, path, query, from));
    if (text === undefined)
      return assert.deepEqual(match, { found: false, searched_to: 0, facts: undefined });
    const written = placesIn(text, query).filter(({ start_chars }) => start_chars >= from);
    const isWidened = written.length === 0 && from === 0;
    const places = isWidened ? nearPlacesIn(text, query) : written;
    assert.equal(match.found, places.length > 0);
    assert.equal(match.facts?.digest, factsOf(text).digest);
    if (!match.found) return;
    const { start_chars, end_chars } = match;
    if (query.clauses.length === 1 && !isWidened) assert.deepEqual({ start_chars, end_chars }, places[0]);
    else
      assert.ok(places.some((place) => place.start_chars === start_chars && place.end_chars === end_chars));
  }

  async list(): Promise<void> {
    const { scope, covered } = this.pickStream();
    if (!covered) return;
    const request = randomList(this.#random, covered.shape, covered.granted, covered.limits.connection_id);
    const wanted = listAll(this.#oracle, scope, request);
    const found: StoredRecord[] = [];
    let after: ListPosition | undefined;
    for (let pages = 0; pages < 4; pages += 1) {
      const from = after as ListPosition | undefined;
      const page = await this.#both((store) => store.listRecords(scope, { ...request, after: from }));
      found.push(...page.records);
      assert.equal(page.next !== undefined, wanted.length > found.length);
      after = page.next;
      if (!after) break;
    }
    assert.deepEqual(
      found.map(({ record_id }) => record_id),
      wanted.slice(0, found.length).map(({ ref }) => ref.record_id),
    );
    for (const [at, record] of found.entries())
      assertRecord(this.#oracle, scope, record, wanted[at], request.fields);
  }

  async aggregate(): Promise<void> {
    const { scope, covered } = this.pickStream();
    if (!covered) return;
    const request = randomAggregate(
      this.#random,
      covered.shape,
      covered.granted,
      covered.limits.connection_id,
    );
    const found = await this.#both((store) => store.aggregate(scope, request));
    const wanted = aggregateAll(this.#oracle, scope, request);
    const rounded = ({ groups, has_more }: typeof found) => ({
      has_more,
      groups: groups.map(({ value, ...group }) => ({
        ...group,
        value: typeof value === "number" ? value.toPrecision(9) : value,
      })),
    });
    if (request.metric === "sum" || request.metric === "avg")
      assert.deepEqual(rounded(found), rounded(wanted));
    else assert.deepEqual(found, wanted);
  }

  async describe(): Promise<void> {
    const { scope } = this.#pickScope();
    const streams = await this.#both((store) => store.describeStreams(scope));
    assert.deepEqual(streams, this.#oracle.describeStreams(scope));
    const sizes = await this.#both((store) => store.describeSizes(scope));
    assert.deepEqual(sizes, this.#oracle.describeSizes(scope));
  }

  async get(): Promise<void> {
    const { scope, ref, held } = this.#pickRecord();
    const covered = this.#oracle.coverOne(scope, ref);
    const inside = held && covered?.records.includes(held) ? held : undefined;
    assertRecord(this.#oracle, scope, await this.#both((store) => store.getRecord(scope, ref)), inside);
    assert.deepEqual(
      await this.#both((store) => store.locate(scope, ref.stream, ref.record_id)),
      this.#oracle.locate(scope, ref.stream, ref.record_id),
    );
  }

  async thread(): Promise<void> {
    const { scope, ref } = this.#pickRecord();
    const request = { before: this.#random.pick([0, 1, 3, 50]), after: this.#random.pick([0, 1, 3, 50]) };
    const found = await this.#both((store) => store.readThread(scope, ref, request));
    const wanted = readThread(this.#oracle, scope, ref, request);
    assert.equal(found !== undefined, wanted !== undefined);
    if (!found || !wanted) return;
    const { visible, has_before, has_after } = wanted;
    assert.deepEqual(
      { visible, has_before, has_after },
      { visible: found.visible, has_before: found.has_before, has_after: found.has_after },
    );
    assert.deepEqual([found.before.length, found.after.length], [wanted.before.length, wanted.after.length]);
    const all = [...wanted.before, wanted.record, ...wanted.after];
    for (const [at, record] of [...found.before, found.record, ...found.after].entries())
      assertRecord(this.#oracle, scope, record, all[at]);
  }

  #pickScope(): { owner_id: string; scope: ReadScope } {
    const owner_id = this.#random.pick(this.#owners);
    return { owner_id, scope: randomScope(this.#random, this.#oracle, owner_id) };
  }

  /** A scope and one of the streams that it covers. */
  pickStream(): { owner_id: string; scope: ReadScope; covered: Covered | undefined } {
    const { owner_id, scope } = this.#pickScope();
    const all = this.#oracle.cover(scope);
    return { owner_id, scope, covered: all.length === 0 ? undefined : this.#random.pick(all) };
  }

  /** A scope and a record, which it may or may not cover. */
  #pickRecord(): { scope: ReadScope; ref: StoredRef; held: Held | undefined } {
    const { owner_id, scope } = this.#pickScope();
    const records = this.#oracle.recordsOf(owner_id);
    const held = records.length > 0 && this.#random.chance(0.95) ? this.#random.pick(records) : undefined;
    return {
      scope,
      ref: held?.ref ?? { connection_id: "mail", stream: "messages", record_id: "none" },
      held,
    };
  }

  /** The text at a path, if the scope covers it and there is one. */
  #textAt(scope: ReadScope, held: Held | undefined, path: string): string | undefined {
    const parsed = parseFieldPath(path) ?? [];
    const covered = held && this.#oracle.coverOne(scope, held.ref);
    if (!held || !covered?.records.includes(held) || !covered.granted.has(String(parsed[0])))
      return undefined;
    const value = valueAt(held.data, parsed);
    return value === undefined || value === null ? undefined : textOf(value);
  }

  #both<T>(ask: (store: Store) => Promise<T>): Promise<T> {
    return askBoth(this.#stores, ask);
  }
}
