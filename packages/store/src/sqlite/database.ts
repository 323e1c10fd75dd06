import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { ApiError } from "@rungs/contract";
import type { BlockRange, Database, Dialect, SqlRow, TableName, Value, WriteSql } from "../database.ts";
import { tables } from "../database.ts";
import type { Traffic } from "../store.ts";
import { countRows } from "../traffic.ts";
import type { AuditJournal } from "./audit-journal.ts";

const dialect: Dialect = {
  kind: "sqlite",
  isAnyText: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
  isAnyNumber: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
  isListed: (column, list) => `${column} IN (SELECT value FROM json_each(${list}))`,
  sharesText: (column, parameter) =>
    `EXISTS (SELECT 1 FROM json_each(${column}) one JOIN json_each(${parameter}) other ON one.value = other.value)`,
  packChunk: (utf8) => utf8,
  unpackChunk: (body) => body,
};

const READ_BLOCKS = `
  SELECT body FROM (
    SELECT first_key, body FROM (
      SELECT first_key, body FROM blocks WHERE owner = $1 AND run = $2 AND first_key <= $3 ORDER BY first_key DESC LIMIT 1)
    UNION ALL
    SELECT first_key, body FROM blocks WHERE owner = $1 AND run = $2 AND first_key > $3 AND first_key < $4)
  ORDER BY first_key`;

/** Opens a connection with the settings that the store relies on. */
export function openConnection(file: string): DatabaseSync {
  const connection = new DatabaseSync(file, { timeout: 100 });
  connection.exec(`
    PRAGMA page_size = 8192;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA foreign_keys = ON;
    PRAGMA cache_size = -16384;
    PRAGMA temp_store = MEMORY;`);
  return connection;
}

const MAX_READERS = 4;
const SQLITE_BUSY = 5;
const BUSY_PAUSE_MS = 20;
/** So many notes are gathered without being asked for. */
const NOTES_KEPT = 1_000;

/** One writing connection, and a few for reading, each used by one snapshot at a time. */
export function createSqliteDatabase(
  file: string,
  writer: DatabaseSync,
  notes: AuditJournal,
  busy_ms: number,
): Database {
  const traffic: Traffic = { statements: 0, rows: 0, bytes: 0 };
  const writeSql = new SqliteSql(writer, traffic);
  const idle: SqliteSql[] = [];
  const waiting: ((sql: SqliteSql) => void)[] = [];
  let readers = 0;
  let lastWrite: Promise<unknown> = Promise.resolve();
  let noted = 0;

  async function borrow(): Promise<SqliteSql> {
    const free = idle.pop();
    if (free) return free;
    if (readers < MAX_READERS) {
      readers += 1;
      return new SqliteSql(openConnection(file), traffic);
    }
    return new Promise((resolve) => waiting.push(resolve));
  }

  function giveBack(sql: SqliteSql): void {
    const next = waiting.shift();
    if (next) next(sql);
    else idle.push(sql);
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = lastWrite.then(work);
    lastWrite = result.catch(() => undefined);
    return result;
  }

  /** Another program that is writing is not waited for: the rows are safe where they are. */
  async function gather(): Promise<void> {
    while (!notes.isEmpty) {
      const last = await inTransaction(writeSql, "BEGIN IMMEDIATE", 0, async () => notes.copyInto(writer));
      notes.forgetUntil(last);
    }
  }

  function gatherInTurn(): Promise<void> {
    noted = 0;
    return inTurn(() => gather().catch(ignoreBusy));
  }

  return {
    traffic,
    async read(work) {
      const sql = await borrow();
      try {
        return await inTransaction(sql, "BEGIN", busy_ms, () => work(sql));
      } finally {
        giveBack(sql);
      }
    },
    async peek(work) {
      const sql = await borrow();
      try {
        return await work(sql);
      } finally {
        giveBack(sql);
      }
    },
    write: (_owner, work) =>
      inTurn(() => inTransaction(writeSql, "BEGIN IMMEDIATE", busy_ms, () => work(writeSql))),
    async appendAuditRows(rows) {
      notes.add(rows);
      noted += rows.length;
      if (noted >= NOTES_KEPT) void gatherInTurn();
    },
    flushAuditJournal: gatherInTurn,
    analyzeIfGrown: async () => undefined,
    analyze: async () => undefined,
    async close() {
      await gatherInTurn();
      notes.close();
      for (const sql of idle) sql.connection.close();
      writer.close();
    },
  };
}

async function inTransaction<T>(
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

/** Waits for another process's transaction without stopping this one. */
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

class SqliteSql implements WriteSql {
  readonly dialect = dialect;
  readonly connection: DatabaseSync;
  readonly #traffic: Traffic;
  readonly #statements = new Map<string, StatementSync>();

  constructor(connection: DatabaseSync, traffic: Traffic) {
    this.connection = connection;
    this.#traffic = traffic;
  }

  async all<R extends SqlRow>(statement: string, values: readonly Value[] = []): Promise<R[]> {
    const rows = this.#prepare(statement).all(...values.map(bindable)) as R[];
    countRows(this.#traffic, rows);
    return rows;
  }

  async run(statement: string, values: readonly Value[] = []): Promise<number> {
    return Number(this.#prepare(statement).run(...values.map(bindable)).changes);
  }

  async insert(table: TableName, rows: readonly (readonly Value[])[]): Promise<void> {
    const marks = Object.keys(tables[table]).map((_, at) => `$${at + 1}`);
    const statement = this.#prepare(`INSERT INTO ${table} VALUES (${marks.join(", ")})`);
    for (const row of rows) statement.run(...(row as SQLInputValue[]));
  }

  async readBlocks(owner: number, ranges: readonly BlockRange[]): Promise<Uint8Array[][]> {
    const statement = this.#prepare(READ_BLOCKS);
    return ranges.map(({ segment, from, to }) => {
      const rows = statement.all(owner, segment, from, to) as { body: Uint8Array }[];
      countRows(this.#traffic, rows);
      return rows.map((row) => row.body);
    });
  }

  #prepare(statement: string): StatementSync {
    let prepared = this.#statements.get(statement);
    if (!prepared) {
      prepared = this.connection.prepare(statement.replace(/\$(\d+)/g, "?$1"));
      this.#statements.set(statement, prepared);
    }
    return prepared;
  }
}

function bindable(value: Value): SQLInputValue {
  return Array.isArray(value) ? JSON.stringify(value) : (value as SQLInputValue);
}
