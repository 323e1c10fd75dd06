/**
 * The reads under a scope, which clients can make expensive. Their arguments and answers are plain data, so that a
 * worker can serve them.
 */
import { ApiError, type ReadScope, type StreamScope } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import type { WriteTarget } from "../catalog/counters.ts";
import { formatMasks } from "../catalog/scoped-partition.ts";
import type { Database, SqlContext } from "../database.ts";
import { openMasker } from "../masks/stream-masker.ts";
import type { SpentWork } from "../port/upkeep.ts";
import { createAggregate } from "../read/aggregate.ts";
import { createChanges } from "../read/changes.ts";
import { createFields } from "../read/fields.ts";
import { createRecords } from "../read/records.ts";
import { createThreads } from "../read/threads.ts";
import { createSearch } from "../search/search.ts";
import type { Caller, Store, StoreOptions } from "../store.ts";
import { defaultLimits, meterReads, WorkBudget } from "../work-budget.ts";
import { createBlobs } from "../write/blobs.ts";

const names = [
  "locate",
  "getRecord",
  "readThread",
  "listRecords",
  "listChanges",
  "describeStreams",
  "describeSizes",
  "aggregate",
  "describeField",
  "readField",
  "findInField",
  "search",
  "describeBlob",
] as const satisfies readonly (keyof Store)[];

/** A read that answers once; `readBlob` is the one that answers in pieces. */
export type ScopedRead = (typeof names)[number];

/** The part of a store that reads under a scope. */
export type ScopedReads = Pick<Store, ScopedRead | "readBlob">;

/** Runs a read, by name and arguments. */
export type MakeRead = (name: ScopedRead, args: readonly unknown[]) => Promise<unknown>;

/** The store's reads under a scope, each made by `make`. */
export function routeReads(make: MakeRead): Pick<Store, ScopedRead> {
  const reads = names.map((name) => [name, (...args: unknown[]) => make(name, args)]);
  return Object.fromEntries(reads);
}

/** How many terms a prefix or the forms of a word may stand for. */
const MAX_EXPANSION = 1_024;

/** Everything that reads under a scope; each read has a work budget. */
export function createReads(
  target: WriteTarget,
  {
    rank_window = 100,
    similar_scan = 200_000,
    expansion = MAX_EXPANSION,
    ranking,
    work_limits,
    cancelled,
    pause,
  }: StoreOptions,
  { catalog, work }: { readonly catalog: Catalog; readonly work: SpentWork },
) {
  const limits = { ...defaultLimits, ...work_limits };
  const reads = meterReads(target.database, () => new WorkBudget(limits, work, { cancelled, pause }));
  const scopedReads = {
    ...createChanges(reads, catalog),
    ...createRecords(reads, catalog),
    ...createThreads(reads, catalog),
    ...createFields(reads, catalog),
    ...createSearch({ ...target, database: reads }, catalog, {
      window: rank_window,
      similar_scan,
      expansion,
      ranking,
    }),
    ...createAggregate(reads, catalog),
    ...createBlobs(reads, catalog),
  };
  return { ...scopedReads, ...maskReads(scopedReads, new MaskedScopes(reads, catalog)) };
}

/** Calls a read by its name. */
export function callRead(reads: ScopedReads, name: ScopedRead, args: readonly unknown[]): Promise<unknown> {
  return (reads[name] as (...args: unknown[]) => Promise<unknown>)(...args);
}

/** The reads with their scopes prepared: those under a scope that masks read its masked copies. */
function maskReads(reads: ScopedReads, scopes: MaskedScopes): ScopedReads {
  return {
    ...routeReads(async (name, [scope, ...args]) =>
      callRead(reads, name, [await scopes.resolve(scope as ReadScope), ...args]),
    ),
    async *readBlob(scope, ...args) {
      yield* reads.readBlob(await scopes.resolve(scope), ...args);
    },
  };
}

/**
 * Adds per-caller reads to a store in this thread: a read that starts after the caller has gone fails, and a blob stops
 * there.
 */
export function bindCallers(unbound: Omit<Store, "forCaller">): Store {
  const store: Store = { ...unbound, forCaller: (caller) => bindCaller(store, caller) };
  return store;
}

function bindCaller(store: Store, { signal }: Caller): Store {
  return {
    ...store,
    ...routeReads(async (name, args) => {
      signal.throwIfAborted();
      return callRead(store, name, args);
    }),
    async *readBlob(...args) {
      for await (const piece of store.readBlob(...args)) {
        signal.throwIfAborted();
        yield piece;
      }
    },
  };
}

/** How long a copy counts as complete without another check. */
const KNOWN_MS = 1_000;

/** Prepares scopes that mask: their reads need the masked copies, and name records by masked keys (R82). */
class MaskedScopes {
  readonly #database: Database;
  readonly #catalog: Catalog;
  /** When copies were last found complete. They are dropped with their last grant, and remade after a rebuild. */
  readonly #complete = new Map<string, number>();

  constructor(database: Database, catalog: Catalog) {
    this.#database = database;
    this.#catalog = catalog;
  }

  /** The scope itself where nothing is masked. Throws `masking_unfinished` until every copy is complete. */
  async resolve(scope: ReadScope): Promise<ReadScope> {
    if (scope.streams.every(({ masks }) => masks === undefined)) return scope;
    const owner = await this.#catalog.requireOwner(scope.owner_id);
    const streams: StreamScope[] = [];
    for (const entry of scope.streams) {
      if (entry.masks) await this.#requireComplete(owner, entry);
      streams.push(entry.masks && hasKeys(entry) ? await this.#maskKeys(owner, entry) : entry);
    }
    return { ...scope, streams };
  }

  async #requireComplete(owner: number, { connection_id, stream, masks }: StreamScope): Promise<void> {
    const written = formatMasks(masks);
    const key = JSON.stringify([owner, connection_id, stream, written]);
    if (performance.now() - (this.#complete.get(key) ?? Number.NEGATIVE_INFINITY) < KNOWN_MS) return;
    const rows = await this.#database.peek(owner, (sql) =>
      sql.all<{ masks: string | null; copied_doc: number | null }>(
        "SELECT masks, copied_doc FROM parts WHERE owner = $1 AND connection_id = $2 AND stream = $3",
        [owner, connection_id, stream],
      ),
    );
    // A stream without records and declaration has nothing to copy.
    if (rows.length === 0) return;
    if (!rows.some((row) => row.masks === written && row.copied_doc === null))
      throw new ApiError("masking_unfinished");
    this.#complete.set(key, performance.now());
  }

  /** The keys that a grant and the owner's exclusions name, as the copy has them. */
  async #maskKeys(owner: number, entry: StreamScope): Promise<StreamScope> {
    return this.#database.peek(owner, async (sql) => {
      const context: SqlContext = { sql, owner };
      const copies = await this.#catalog.listCopies(context, entry.connection_id, entry.stream);
      const copy = copies.find(({ masks }) => formatMasks(masks) === formatMasks(entry.masks));
      if (!copy) return entry;
      const { maskKey } = await openMasker(context, this.#catalog, copy);
      const { record_ids, never } = entry;
      return {
        ...entry,
        ...(record_ids ? { record_ids: record_ids.map(maskKey) } : {}),
        ...(never ? { never: { ...never, record_ids: never.record_ids.map(maskKey) } } : {}),
      };
    });
  }
}

function hasKeys({ record_ids, never }: StreamScope): boolean {
  return record_ids !== undefined || (never?.record_ids.length ?? 0) > 0;
}
