import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { ApiError } from "@rungs/contract";
import { type Database, EVERYONE, nameWrites, Signals } from "../database.ts";
import { createNoOwner } from "../owners/account.ts";
import type { SlowWatch } from "../slow-queries.ts";
import type { SharedChange, Traffic } from "../store.ts";
import type { AuditJournal } from "./audit-journal.ts";
import type { SqliteConnection } from "./connection.ts";
import { unlockStatements } from "./encrypted-connection.ts";
import { findCipher } from "./load-cipher.ts";
import { openConnection, SqliteSql } from "./sqlite-sql.ts";

/** How long a statement waits for another process that is writing. */
export const BUSY_MS = 30_000;
const MAX_READERS = 4;
const SQLITE_BUSY = 5;
const BUSY_PAUSE_MS = 20;
/** The journal is flushed unprompted once it has this many rows. */
const MAX_JOURNAL_ROWS = 1_000;

/** Frees space in a thread, since it takes long on a large file, and empties the write-ahead log: both may hold deleted content. */
const RECLAIM = `
  const { workerData } = require("node:worker_threads");
  const { file, busy_ms, driver, statements } = workerData;
  const Database = driver ? require(driver) : require("node:sqlite").DatabaseSync;
  const database = new Database(file, { timeout: busy_ms });
  for (const statement of statements) database.exec(statement);
  const { busy } = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
  database.close();
  if (busy) throw new Error("readers hold the log");`;

interface SqliteOptions {
  readonly file: string;
  /** The key of an encrypted file. */
  readonly key: Uint8Array | undefined;
  /** The only writing connection. */
  readonly writer: SqliteConnection;
  readonly journal: AuditJournal;
  /** How long to wait for another process that holds the write lock. */
  readonly busy_ms: number;
  readonly slow?: SlowWatch | undefined;
}

/** One writing connection, and a pool for reading whose connections serve one snapshot at a time. */
export function createSqliteDatabase({ file, key, writer, journal, busy_ms, slow }: SqliteOptions): Database {
  const traffic: Traffic = { statements: 0, rows: 0, bytes: 0 };
  const writeSql = new SqliteSql(writer, traffic, slow);
  const readers = new ReaderPool(() => new SqliteSql(openConnection(file, key), traffic, slow));
  const writes = new WriteQueue();
  const shared = new SharedMemory();
  const signals = new Signals();
  let journaled = 0;

  /** Does not wait for another process that is writing: the rows are safe in the journal. */
  async function copyJournal(): Promise<void> {
    while (!journal.isEmpty) {
      const last = await inTransaction(writeSql, "BEGIN IMMEDIATE", 0, async () => journal.copyRows());
      journal.forgetUntil(last);
    }
  }

  function flushJournal(): Promise<void> {
    journaled = 0;
    return writes.add(() => copyJournal().catch(ignoreBusy));
  }

  return {
    traffic,
    signals,
    read: (_whose, work) => readers.use((sql) => inTransaction(sql, "BEGIN", busy_ms, () => work(sql))),
    peek: (_whose, work) => readers.use(work),
    peekByToken: (_digest, work) => readers.use(work),
    findOwner: (owner_id) => readers.use((sql) => findOwner(sql, owner_id)),
    async write(whose, work) {
      const written = await writes.add(() =>
        inTransaction(writeSql, "BEGIN IMMEDIATE", busy_ms, async () => {
          if (whose !== EVERYONE) await requireOwner(writeSql, whose);
          return work(writeSql);
        }),
      );
      signals.tell(nameWrites(whose));
      return written;
    },
    async appendAudit(owner, entries) {
      journal.add(owner, entries);
      journaled += entries.length;
      if (journaled >= MAX_JOURNAL_ROWS) void flushJournal();
    },
    claimOnce: async (owner, key, times) => journal.claimOnce(owner, key, times),
    changeShared: async (owner, name, now_ms, change) => shared.change(`${owner} ${name}`, now_ms, change),
    flushAuditJournal: flushJournal,
    analyzeIfGrown: async () => undefined,
    analyze: async () => undefined,
    reclaimSpace: () => writes.add(() => reclaim({ file, busy_ms, ...planReclaim(key) })),
    async close() {
      await flushJournal();
      journal.close();
      readers.close();
      writer.close();
    },
  };
}

/** A pool of up to `MAX_READERS` connections; further callers wait for a free one. */
class ReaderPool {
  readonly #open: () => SqliteSql;
  readonly #idle: SqliteSql[] = [];
  readonly #waiting: ((sql: SqliteSql) => void)[] = [];
  #count = 0;

  constructor(open: () => SqliteSql) {
    this.#open = open;
  }

  async use<T>(work: (sql: SqliteSql) => Promise<T>): Promise<T> {
    const sql = await this.#borrow();
    try {
      return await work(sql);
    } finally {
      this.#giveBack(sql);
    }
  }

  close(): void {
    for (const sql of this.#idle) sql.connection.close();
  }

  async #borrow(): Promise<SqliteSql> {
    const free = this.#idle.pop();
    if (free) return free;
    if (this.#count < MAX_READERS) {
      this.#count += 1;
      return this.#open();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #giveBack(sql: SqliteSql): void {
    const next = this.#waiting.shift();
    if (next) next(sql);
    else this.#idle.push(sql);
  }
}

/** Runs writes one after another; a failed one does not stop the next. */
class WriteQueue {
  #last: Promise<unknown> = Promise.resolve();

  add<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

export async function findOwner(sql: SqliteSql, owner_id: string): Promise<number | undefined> {
  const [row] = await sql.all<{ owner: number }>("SELECT owner FROM owners WHERE owner_id = $1", [owner_id]);
  return row?.owner;
}

/** An owner who was removed meanwhile has no row, and must get no further writes. */
async function requireOwner(sql: SqliteSql, owner: number): Promise<void> {
  const [row] = await sql.all("SELECT 1 AS found FROM owners WHERE owner = $1", [owner]);
  if (!row) throw createNoOwner();
}

export async function inTransaction<T>(
  sql: SqliteSql,
  begin: string,
  busy_ms: number,
  work: () => Promise<T>,
): Promise<T> {
  await beginTransaction(sql.connection, begin, busy_ms);
  try {
    const result = await work();
    sql.connection.exec("COMMIT");
    return result;
  } catch (error) {
    if (sql.connection.isTransaction) sql.connection.exec("ROLLBACK");
    throw error;
  }
}

/** Retries while another process holds the lock, without blocking the event loop. */
export async function beginTransaction(
  connection: SqliteConnection,
  begin: string,
  busy_ms: number,
): Promise<void> {
  for (const deadline = Date.now() + busy_ms; ; await setTimeout(BUSY_PAUSE_MS)) {
    try {
      return connection.exec(begin);
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (Date.now() > deadline) throw new ApiError("database_busy");
    }
  }
}

function ignoreBusy(error: unknown): void {
  if (!(error instanceof ApiError && error.code === "database_busy")) throw error;
}

function isBusy(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === SQLITE_BUSY;
}

/** VACUUM writes a temporary file, which would be plain: an encrypted database moves its pages within the file. */
function planReclaim(key: Uint8Array | undefined) {
  if (key === undefined) return { statements: ["VACUUM"] };
  return { driver: findCipher(), statements: [unlockStatements(key), "PRAGMA incremental_vacuum"] };
}

/** Runs `RECLAIM`; false if others lock the file too long. */
function reclaim(workerData: object): Promise<boolean> {
  return new Promise((resolve) => {
    const worker = new Worker(RECLAIM, { eval: true, workerData });
    worker.once("error", () => resolve(false));
    worker.once("exit", (code) => resolve(code === 0));
  });
}

interface Held {
  readonly value: unknown;
  readonly expires_ms: number;
}

/** Above this many values, expired ones are dropped. */
const VALUES_MAX = 10_000;

/** Values that the servers of a database share (`changeShared`): SQLite has one server, so they are in its memory. */
class SharedMemory {
  readonly #held = new Map<string, Held>();
  #dropAbove = VALUES_MAX;

  change<R>(key: string, now_ms: number, change: SharedChange<R>): R {
    const held = this.#held.get(key);
    const { value, kept_ms, result } = change(held && held.expires_ms > now_ms ? held.value : undefined);
    if (value === undefined) this.#held.delete(key);
    else this.#held.set(key, { value, expires_ms: now_ms + kept_ms });
    if (this.#held.size > this.#dropAbove) {
      for (const [other, { expires_ms }] of this.#held) if (expires_ms <= now_ms) this.#held.delete(other);
      this.#dropAbove = Math.max(VALUES_MAX, 2 * this.#held.size);
    }
    return result;
  }
}
