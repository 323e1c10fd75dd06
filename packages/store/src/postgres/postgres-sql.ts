import { setImmediate as nextTurn } from "node:timers/promises";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type pg from "pg";
import type { BlockRange, ColumnType, Dialect, SqlRow, TableName, Value, WriteSql } from "../database.ts";
import { tables } from "../database.ts";
import type { Traffic } from "../store.ts";
import { countRows } from "../traffic.ts";

const dialect: Dialect = {
  kind: "postgres",
  isAnyText: (column, parameter) => `${column} = ANY (${parameter}::text[])`,
  isAnyNumber: (column, parameter) => `${column} = ANY (${parameter}::bigint[])`,
  isListed: (column, list) => `${list}::jsonb ? ${column}`,
  sharesText: (column, parameter) => `${column}::jsonb ?| ${parameter}::text[]`,
  packChunk: (utf8) => deflateRawSync(utf8, { level: 1 }),
  unpackChunk: (body) => inflateRawSync(body),
};

const READ_BLOCKS = `
  SELECT range.n, block.body
  FROM unnest($2::bigint[], $3::bytea[], $4::bytea[]) WITH ORDINALITY AS range (run, low, high, n)
  CROSS JOIN LATERAL (
    (SELECT first_key, body FROM blocks
      WHERE owner = $1 AND run = range.run AND first_key <= range.low ORDER BY first_key DESC LIMIT 1)
    UNION ALL
    (SELECT first_key, body FROM blocks
      WHERE owner = $1 AND run = range.run AND first_key > range.low AND first_key < range.high)) AS block
  ORDER BY range.n, block.first_key`;

const arrayTypes: Record<ColumnType, string> = {
  int: "bigint[]",
  text: "text[]",
  bytes: "bytea[]",
  real: "float8[]",
};
const INSERT_ROWS = 500;
const wideTables = new Set<TableName>(["records", "chunks", "blocks", "blob_chunks"]);
const WIDE_ROWS = 16;
/** When more than this is waiting to leave, the server is waited for. */
const UNSENT_BYTES = 1 << 20;

/** Statements of one connection, answered in the order in which they are sent. */
export class PostgresSql implements WriteSql {
  readonly dialect = dialect;
  readonly #client: pg.PoolClient;
  readonly #traffic: Traffic;
  readonly #names: Map<string, string>;
  #lastSent: Promise<unknown> = Promise.resolve();
  #failure: Error | undefined;
  /** Why the connection cannot be used again. */
  lost: Error | undefined;

  constructor(client: pg.PoolClient, traffic: Traffic, names: Map<string, string>) {
    this.#client = client;
    this.#traffic = traffic;
    this.#names = names;
  }

  async all<R extends SqlRow>(statement: string, values: readonly Value[] = []): Promise<R[]> {
    const { rows } = await this.#query<R>(statement, values.map(findable));
    countRows(this.#traffic, rows);
    return rows;
  }

  async run(statement: string, values: readonly Value[] = []): Promise<number> {
    return (await this.#query(statement, values)).rowCount ?? 0;
  }

  /** Sends rows while others are still being written: the next statement that fails, or `settle`, tells what went wrong. */
  async insert(table: TableName, rows: readonly (readonly Value[])[]): Promise<void> {
    const isPlain = wideTables.has(table) || rows.length === 1;
    for (const [statement, values] of isPlain ? insertPlain(table, rows) : insertArrays(table, rows)) {
      this.send(statement, values);
      if (this.#client.connection.stream.writableLength > UNSENT_BYTES) await this.#lastSent;
      // What the socket did not take at once leaves when Node gets to it: the server has work while the next rows are made.
      else await nextTurn();
    }
  }

  async readBlocks(owner: number, ranges: readonly BlockRange[]): Promise<Uint8Array[][]> {
    const bodies: Uint8Array[][] = ranges.map(() => []);
    if (ranges.length === 0) return bodies;
    const columns = [
      ranges.map(({ segment }) => segment),
      ranges.map(({ from }) => from),
      ranges.map(({ to }) => to),
    ];
    const rows = await this.all<{ n: number; body: Uint8Array }>(READ_BLOCKS, [
      owner,
      ...(columns as unknown as Value[]),
    ]);
    for (const { n, body } of rows) bodies[n - 1]?.push(body);
    return bodies;
  }

  /** Sends a statement and does not wait for its answer. */
  send(statement: string, values: readonly Value[] = []): void {
    this.#lastSent = this.#submit(statement, values).catch((error: Error) => {
      this.#failure ??= error;
    });
  }

  /** Waits for the answers to all that was sent; throws what failed first. */
  async settle(): Promise<void> {
    await this.#lastSent;
    this.requireSuccess();
  }

  /** Throws what failed first among the answers that have come. */
  requireSuccess(): void {
    if (this.#failure) throw this.#failure;
  }

  async rollBack(): Promise<void> {
    await this.#submit("ROLLBACK", []).catch((error: Error) => {
      this.lost = error;
    });
  }

  /** After a statement that failed, those behind it only tell that it did. */
  async #query<R extends SqlRow>(statement: string, values: readonly Value[]): Promise<pg.QueryResult<R>> {
    try {
      return await this.#submit<R>(statement, values);
    } catch (error) {
      throw this.#failure ?? error;
    }
  }

  #submit<R extends SqlRow>(text: string, values: readonly Value[]): Promise<pg.QueryResult<R>> {
    let name = this.#names.get(text);
    if (!name) {
      name = `s${this.#names.size}`;
      this.#names.set(text, name);
    }
    return this.#client.query<R>({ name, text, values: values as unknown[] });
  }
}

type Statement = readonly [text: string, values: readonly Value[]];

function* insertArrays(table: TableName, rows: readonly (readonly Value[])[]): Generator<Statement> {
  const types = Object.values(tables[table]) as ColumnType[];
  const marks = types.map((type, at) => `$${at + 1}::${arrayTypes[type]}`);
  const statement = `INSERT INTO ${table} SELECT * FROM unnest(${marks.join(", ")})`;
  for (let start = 0; start < rows.length; start += INSERT_ROWS) {
    const some = rows.slice(start, start + INSERT_ROWS);
    yield [statement, types.map((_, column) => some.map((row) => row[column])) as unknown as Value[]];
  }
}

/** A value by itself goes as it is; in an array, text is escaped and bytes are doubled. */
function* insertPlain(table: TableName, rows: readonly (readonly Value[])[]): Generator<Statement> {
  const one = insertStatement(table, 1);
  const many = rows.length < WIDE_ROWS ? one : insertStatement(table, WIDE_ROWS);
  let start = 0;
  for (; start + WIDE_ROWS <= rows.length; start += WIDE_ROWS)
    yield [many, rows.slice(start, start + WIDE_ROWS).flat() as Value[]];
  for (const row of rows.slice(start)) yield [one, row];
}

function insertStatement(table: TableName, count: number): string {
  const columns = Object.keys(tables[table]).length;
  const marks = Array.from({ length: count }, (_, row) => {
    const own = Array.from({ length: columns }, (_, column) => `$${row * columns + column + 1}`);
    return `(${own.join(", ")})`;
  });
  return `INSERT INTO ${table} VALUES ${marks.join(", ")}`;
}

/**
 * PostgreSQL's text has no NUL and refuses a parameter that has one. What is looked up by (keys, names, digests) never has a
 * control character, so a look-up with another one finds as little.
 */
function findable(value: Value): Value {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\u0001") : value;
  return Array.isArray(value) && value.some((one) => typeof one === "string" && one.includes("\0"))
    ? (value.map(findable) as string[])
    : value;
}
