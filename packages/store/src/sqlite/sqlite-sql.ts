import type { BlockRange, Dialect, SqlRow, Value, WriteSql } from "../database.ts";
import { READ_SECRET } from "../schema.ts";
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
  isListed: (column, list) => `${column} IN (SELECT value FROM json_each(${list}))`,
  useIndex: (name) => ` INDEXED BY ${name}`,
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
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(connection: SqliteConnection, traffic: Traffic) {
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
    const placeholders = Object.keys(tables[table]).map((_, at) => `$${at + 1}`);
    const statement = this.#prepare(`INSERT INTO ${table} VALUES (${placeholders.join(", ")})`);
    for (const row of rows) statement.run(...row.map(bindable));
  }

  async readSecret(name: string): Promise<string | undefined> {
    const [row] = await this.all<{ value: string }>(READ_SECRET, [name]);
    return row?.value;
  }

  async readBlocks(owner: number, ranges: readonly BlockRange[], limit = -1): Promise<Uint8Array[][]> {
    const statement = this.#prepare(READ_BLOCKS);
    return ranges.map(({ segment, from, to }) => {
      const rows = statement.all(owner, segment, from, to, limit) as { body: Uint8Array }[];
      countRows(this.#traffic, rows);
      return rows.map((row) => row.body);
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

function bindable(value: Value): SqliteValue {
  if (Array.isArray(value)) return JSON.stringify(value);
  // Node 22 binds empty bytes that it read from a database as NULL.
  return value instanceof Uint8Array && value.length === 0 ? NO_BYTES : (value as SqliteValue);
}

const NO_BYTES = new Uint8Array(0);
