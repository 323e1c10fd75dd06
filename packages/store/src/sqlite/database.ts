import type { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { ApiError } from "@rungs/contract";
import type { Database } from "../database.ts";
import type { Traffic } from "../store.ts";
import type { AuditJournal } from "./audit-journal.ts";
import { openConnection, SqliteSql } from "./sqlite-sql.ts";

/** How long a statement waits for another process that is writing. */
export const BUSY_MS = 30_000;
const MAX_READERS = 4;
const SQLITE_BUSY = 5;
const BUSY_PAUSE_MS = 20;
/** The journal is flushed without a request once it has this many rows. */
const MAX_JOURNAL_ROWS = 1_000;

/** Rewrites the file without its free pages, and empties the write-ahead log: both may hold deleted content. */
const VACUUM = `
  const { workerData } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const database = new DatabaseSync(workerData.file, { timeout: workerData.busy_ms });
  database.exec("VACUUM");
  const { busy } = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
  database.close();
  if (busy) throw new Error("readers hold the log");`;

interface SqliteOptions {
  readonly file: string;
  /** The only writing connection. */
  readonly writer: DatabaseSync;
  readonly journal: AuditJournal;
  /** How long to wait for another process that holds the write lock. */
  readonly busy_ms: number;
}

/** One writing connection, and a pool for reading whose connections serve one snapshot at a time. */
export function createSqliteDatabase({ file, writer, journal, busy_ms }: SqliteOptions): Database {
  const traffic: Traffic = { statements: 0, rows: 0, bytes: 0 };
  const writeSql = new SqliteSql(writer, traffic);
  const readers = new ReaderPool(() => new SqliteSql(openConnection(file), traffic));
  const writes = new WriteQueue();
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
    read: (work) => readers.use((sql) => inTransaction(sql, "BEGIN", busy_ms, () => work(sql))),
    peek: (work) => readers.use(work),
    write: (_owner, work) =>
      writes.add(() => inTransaction(writeSql, "BEGIN IMMEDIATE", busy_ms, () => work(writeSql))),
    async appendAudit(owner, entries) {
      journal.add(owner, entries);
      journaled += entries.length;
      if (journaled >= MAX_JOURNAL_ROWS) void flushJournal();
    },
    claimOnce: async (owner, key, times) => journal.claimOnce(owner, key, times),
    flushAuditJournal: flushJournal,
    analyzeIfGrown: async () => undefined,
    analyze: async () => undefined,
    reclaimSpace: () => writes.add(() => vacuum(file, busy_ms)),
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
  connection: DatabaseSync,
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

/** Vacuums a database in a worker thread, since it takes long on a large one; false when others hold the file too long. */
function vacuum(file: string, busy_ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const worker = new Worker(VACUUM, { eval: true, workerData: { file, busy_ms } });
    worker.once("error", () => resolve(false));
    worker.once("exit", (code) => resolve(code === 0));
  });
}
