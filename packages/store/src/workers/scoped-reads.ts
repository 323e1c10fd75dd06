/** The reads under a scope: all that clients can make expensive. Their arguments and answers are plain data, so that a worker can serve them. */
import type { ReadScope } from "@rungs/contract";
import type { MaskedScopes } from "../masks/masked-scope.ts";
import type { Caller, Store } from "../store.ts";

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

/** Makes a read: its name, and its arguments. */
export type MakeRead = (name: ScopedRead, args: readonly unknown[]) => Promise<unknown>;

/** The store's reads under a scope, each made by `make`. */
export function routeReads(make: MakeRead): Pick<Store, ScopedRead> {
  const reads = names.map((name) => [name, (...args: unknown[]) => make(name, args)]);
  return Object.fromEntries(reads);
}

/** Calls a read by its name. */
export function callRead(reads: ScopedReads, name: ScopedRead, args: readonly unknown[]): Promise<unknown> {
  return (reads[name] as (...args: unknown[]) => Promise<unknown>)(...args);
}

/** The reads with their scopes prepared: those under a scope that masks read its masked copies. */
export function maskReads(reads: ScopedReads, scopes: MaskedScopes): ScopedReads {
  return {
    ...routeReads(async (name, [scope, ...args]) =>
      callRead(reads, name, [await scopes.resolve(scope as ReadScope), ...args]),
    ),
    async *readBlob(scope, ...args) {
      yield* reads.readBlob(await scopes.resolve(scope), ...args);
    },
  };
}

/** The store for one caller, in this thread: a read that starts after the caller has gone fails, and a blob ends there. */
export function bindCaller(store: Store, { signal }: Caller): Store {
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
