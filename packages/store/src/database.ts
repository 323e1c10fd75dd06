/**
 * The engine's port: what a database does for the store. Statements are written once, in the SQL that both engines share,
 * with `$1`-style parameters; `Dialect` has the few expressions that differ.
 */
import { randomInt } from "node:crypto";
import type { SharedChange, Traffic } from "./store.ts";
import type { TableName } from "./tables.ts";
import type { WorkBudget } from "./work-budget.ts";

/** A parameter of a statement; a list is one parameter. */
export type Value = string | number | null | Uint8Array | readonly string[] | readonly number[];
export type SqlRow = Record<string, string | number | null | Uint8Array>;

/** Upkeep of the whole database, such as a backup, touches the rows of all owners. */
export const EVERYONE = "everyone";

/** Whose rows a piece of work touches. PostgreSQL hides the rows of every other owner from its statements (R120). */
export type Whose = number | typeof EVERYONE;

export interface Database {
  readonly traffic: Traffic;
  /** Signals between the servers of the database; every write of an owner sends one. */
  readonly signals: Signals;
  /** Runs `work` on one snapshot of the data. */
  read<T>(whose: Whose, work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Runs `work` without a snapshot: for one statement, or statements that do not depend on each other. */
  peek<T>(whose: Whose, work: (sql: Sql) => Promise<T>): Promise<T>;
  /** The same, for the owner of the token with this digest; no rows when there is no such token. */
  peekByToken<T>(digest: string, work: (sql: Sql) => Promise<T>): Promise<T>;
  /** The number of the owner with this id. */
  findOwner(owner_id: string): Promise<number | undefined>;
  /** Runs `work` as one transaction, serialized per owner. An error rolls it back. */
  write<T>(whose: Whose, work: (sql: WriteSql) => Promise<T>): Promise<T>;
  /**
   * Adds rows to the chain of an owner's audit log (`control/audit-chain.ts`) without waiting for other writers or for an fsync:
   * they survive a crash of the process, not always of the machine.
   */
  appendAudit(owner: number, entries: readonly (readonly Value[])[]): Promise<void>;
  /** Adds a key that is not there, or has expired; false when it is there. Waits for no other writer, like `appendAudit`. */
  claimOnce(owner: number, key: string, times: ClaimTimes): Promise<boolean>;
  /** Changes a value that servers share, one caller after the other. Waits for no other writer, like `appendAudit`. */
  changeShared<R>(owner: number, name: string, now_ms: number, change: SharedChange<R>): Promise<R>;
  /** Flushes journaled audit rows into the table `audit`. Rows blocked by another writer follow later. */
  flushAuditJournal(): Promise<void>;
  /** Refreshes planner statistics of key columns once an owner has several times as many documents as at the last refresh. */
  analyzeIfGrown(docs: number): Promise<void>;
  /** Refreshes planner statistics of all tables; call it after a large import. */
  analyze(): Promise<void>;
  /** Returns the space of deleted rows to the file system, without blocking the event loop; false while other processes prevent it. */
  reclaimSpace(): Promise<boolean>;
  close(): Promise<void>;
}

/** Until when a key counts as used, and the current time. */
export interface ClaimTimes {
  readonly expires_ms: number;
  readonly now_ms: number;
}

/** Reads on one connection. */
export interface Sql {
  readonly dialect: Dialect;
  /** The work budget of the read; undefined for writes and upkeep, which have none. */
  readonly budget?: WorkBudget | undefined;
  /** All rows of a bounded query. */
  all<R extends SqlRow = SqlRow>(statement: string, values?: readonly Value[]): Promise<R[]>;
  /** A secret of the program, on the same connection: waiting for a second one could deadlock. */
  readSecret(name: string): Promise<string | undefined>;
  /** The first `limit` index blocks of each range, in order: the last that starts at or before `from`, and those that start before `to`. */
  readBlocks(owner: number, ranges: readonly BlockRange[], limit?: number): Promise<Uint8Array[][]>;
}

/** A connection, and the owner whose rows its statements touch. */
export interface SqlContext<S extends Sql = Sql> {
  readonly sql: S;
  readonly owner: number;
}

/** Reads and writes inside a transaction. */
export interface WriteSql extends Sql {
  /** Runs a statement; returns how many rows it changed. */
  run(statement: string, values?: readonly Value[]): Promise<number>;
  /** Adds rows in bulk; each row has a value for each column of the table. */
  insert(table: TableName, rows: readonly (readonly Value[])[]): Promise<void>;
}

/** The keys `from` (inclusive) to `to` (exclusive) of one index segment. */
export interface BlockRange {
  readonly segment: number;
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

/** The SQL expressions and encodings in which the engines differ. */
export interface Dialect {
  readonly kind: "sqlite" | "postgres";
  /** Whether `column` is in the list parameter (such as `$2`). */
  isAnyText(column: string, parameter: string): string;
  isAnyNumber(column: string, parameter: string): string;
  /** The same for bytes, which the list holds as `\\x` and two hexadecimal digits per byte. */
  isAnyBytes(column: string, parameter: string): string;
  /** The numbers of a list parameter as rows of `alias`, in its column `value`. */
  numbersOf(parameter: string, alias: string): string;
  /** A column of UTF-8 bytes as text, and a column of text as bytes. */
  toText(column: string): string;
  toBytes(column: string): string;
  /** Whether `column` is in the JSON list of texts in `list`. */
  isListed(column: string, list: string): string;
  /** Whether the JSON list of texts in `column` and the list of the parameter have one in common. */
  sharesText(column: string, parameter: string): string;
  /** A column for which SQLite's planner must not use an index; PostgreSQL, which has statistics, may. */
  passOver(column: string): string;
  /** Forces an index where the engine's planner would choose a worse one. */
  useIndex(name: string): string;
  /** Encodes a chunk of text for storage. */
  packChunk(utf8: Uint8Array): Uint8Array;
  unpackChunk(body: Uint8Array): Uint8Array;
  /** The body of a row as inserted; PostgreSQL may hold it sealed, bound to the row's key. */
  openBody(table: BodyTable, key: RowKey, body: Uint8Array): Uint8Array;
  /** The size of such a body. */
  bodyBytes(column: string): string;
}

/** The tables of long rows, whose column `body` PostgreSQL may keep sealed. */
export const BODY_TABLES = ["chunks", "blob_chunks", "blocks", "vectors"] as const satisfies TableName[];
export type BodyTable = (typeof BODY_TABLES)[number];

/** The cells of a row's key, in order; the owner is first. */
export type RowKey = readonly [owner: number, ...rest: readonly (number | Uint8Array)[]];

/** Collects the parameters of a statement while its text is built. */
export class Parameters {
  readonly values: Value[] = [];

  /** Adds a value and returns its placeholder. */
  add(value: Value): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** A row's columns that are not null. */
export function omitNulls(row: SqlRow): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

const IDS_PER_MS = 4_096;
let lastId = 0;

/**
 * A number that increases over time within a process and rarely collides across processes: milliseconds and 12 random
 * bits.
 */
export function createTimedId(): number {
  lastId = Math.max(lastId + 1, Date.now() * IDS_PER_MS + randomInt(IDS_PER_MS));
  return lastId;
}

/** The smallest id of a time. */
export function timedIdBefore(time_ms: number): number {
  return time_ms * IDS_PER_MS;
}

/** Signals that stay in this process. */
export class Signals {
  readonly #listeners = new Map<string, Set<() => void>>();

  tell(topic: string): void {
    for (const wake of this.#listeners.get(topic) ?? []) wake();
  }

  listen(topic: string, wake: () => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(wake));
    return () => {
      listeners.delete(wake);
      if (listeners.size === 0 && this.#listeners.get(topic) === listeners) this.#listeners.delete(topic);
    };
  }

  async close(): Promise<void> {}
}

/** The topic of an owner's writes. */
export function nameWrites(owner: Whose): string {
  return `owner ${owner}`;
}
