import type { BlockRange, Dialect, SqlRow, Value, WriteSql } from "../database.ts";
import { READ_SECRET } from "../schema.ts";
import { describeStatement, type SlowWatch } from "../slow-queries.ts";
import type { Traffic } from "../store.ts";
import { type TableName, tables } from "../tables.ts";
import { countRows } from "../work-budget.ts";
import { connect, type SqliteConnection, type SqliteStatement, type SqliteValue } from "./connection.ts";

const dialect: Dialect = {
  kind: "sqlite",
  isAnyText: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
  numbersOf: (parameter, alias) => `json_each(${parameter}) ${alias}`,
  toText: (column) => `CAST(${column} AS TEXT)`,
  toBytes: (column) => `CAST(${column} AS BLOB)`,
  isAnyNumber: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
  isAnyBytes: (column, parameter) =>
    `${column} IN (SELECT unhex(substr(value, 3)) FROM json_each(${parameter}))`,
  isListed: (column, list) => `${column} IN (SELECT value FROM json_each(${list}))`,
  passOver: (column) => `+${column}`,
  useIndex: (name) => ` INDEXED BY ${name}`,
  sharesText: (column, parameter) =>
    `EXISTS (SELECT 1 FROM json_each(${column}) one JOIN json_each(${parameter}) other ON one.value = other.value)`,
  packChunk: (utf8) => utf8,
  unpackChunk: (body) => body,
  openBody: (_table, _key, body) => body,
  bodyBytes: (column) => `length(${column})`,
};

/** From the last block that begins at or before the range on. One search of the index: a limit ends it without sorting the rest. */
const READ_BLOCKS = `
  SELECT body FROM blocks WHERE owner = $1 AND run = $2 AND first_key < $4 AND first_key >= ifnull(
    (SELECT max(first_key) FROM blocks WHERE owner = $1 AND run = $2 AND first_key <= $3), $3)
  ORDER BY first_key LIMIT $5`;

/** Opens a connection with the settings that the store relies on. */
export function openConnection(file: string, key: Uint8Array | undefined): SqliteConnection {
  const connection = connect(file, { timeout: 100, key });
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

/** Opens a connection that only reads a database which a writer has created. */
export function openReadConnection(file: string, key: Uint8Array | undefined): SqliteConnection {
  const connection = connect(file, { timeout: 100, readOnly: true, key });
  connection.exec("PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY;");
  return connection;
}

/** Statements of one connection; each is prepared once. */
export class SqliteSql implements WriteSql {
  readonly dialect = dialect;
  readonly connection: SqliteConnection;
  readonly #traffic: Traffic;
  readonly #slow: SlowWatch | undefined;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(connection: SqliteConnection, traffic: Traffic, slow?: SlowWatch) {
    this.connection = connection;
    this.#slow = slow;
    this.#traffic = traffic;
  }

  async all<R extends SqlRow>(statement: string, values: readonly Value[] = []): Promise<R[]> {
    const prepared = this.#prepare(statement);
    const rows = this.#watch(statement, () => prepared.all(...values.map(bindable)) as R[], countAll);
    countRows(this.#traffic, rows);
    return rows;
  }

  async run(statement: string, values: readonly Value[] = []): Promise<number> {
    const prepared = this.#prepare(statement);
    return this.#watch(statement, () => Number(prepared.run(...values.map(bindable)).changes), Number);
  }

  async insert(table: TableName, rows: readonly (readonly Value[])[]): Promise<void> {
    const placeholders = Object.keys(tables[table]).map((_, at) => `$${at + 1}`);
    const statement = `INSERT INTO ${table} VALUES (${placeholders.join(", ")})`;
    const prepared = this.#prepare(statement);
    const insert = () => {
      for (const row of rows) prepared.run(...row.map(bindable));
    };
    this.#watch(statement, insert, () => rows.length);
  }

  async readSecret(name: string): Promise<string | undefined> {
    const [row] = await this.all<{ value: string }>(READ_SECRET, [name]);
    return row?.value;
  }

  async readBlocks(owner: number, ranges: readonly BlockRange[], limit = -1): Promise<Uint8Array[][]> {
    const statement = this.#prepare(READ_BLOCKS);
    return ranges.map(({ segment, from, to }) => {
      const read = () => statement.all(owner, segment, from, to, limit) as { body: Uint8Array }[];
      const rows = this.#watch(READ_BLOCKS, read, countAll);
      countRows(this.#traffic, rows);
      return rows.map((row) => row.body);
    });
  }

  /** Runs a statement; notes it when it was slow. */
  #watch<T>(statement: string, run: () => T, count: (result: T) => number): T {
    const slow = this.#slow;
    if (!slow) return run();
    const start = performance.now();
    const result = run();
    const duration_ms = performance.now() - start;
    if (duration_ms >= slow.from_ms) {
      const [engine, rows, plan] = ["sqlite" as const, count(result), this.#findPlan(statement)];
      slow.note(
        Promise.resolve({ engine, statement: describeStatement(statement), duration_ms, rows, plan }),
      );
    }
    return result;
  }

  /** The plan of a statement, in which parameters are `?`. */
  #findPlan(statement: string): string[] {
    const rows = this.#prepare(`EXPLAIN QUERY PLAN ${statement}`).all() as PlanRow[];
    const depths = new Map<number, number>([[0, -1]]);
    return rows.map(({ id, parent, detail }) => {
      const depth = (depths.get(parent) ?? -1) + 1;
      depths.set(id, depth);
      return `${"  ".repeat(depth)}${describeStatement(detail)}`;
    });
  }

  #prepare(statement: string): SqliteStatement {
    let prepared = this.#statements.get(statement);
    if (!prepared) {
      prepared = this.connection.prepare(statement.replace(/\$(\d+)/g, "?$1"));
      this.#statements.set(statement, prepared);
    }
    return prepared;
  }
}

interface PlanRow {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

function countAll(rows: readonly unknown[]): number {
  return rows.length;
}

function bindable(value: Value): SqliteValue {
  if (Array.isArray(value)) return JSON.stringify(value);
  // Node 22 binds empty bytes that it read from a database as NULL.
  return value instanceof Uint8Array && value.length === 0 ? NO_BYTES : (value as SqliteValue);
}

const NO_BYTES = new Uint8Array(0);
