import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type pg from "pg";
import type { BlockRange, Dialect, SqlRow, Value, WriteSql } from "../database.ts";
import { PROGRAM_OWNER, READ_SECRET } from "../schema.ts";
import type { Traffic } from "../store.ts";
import { type ColumnType, type TableName, tables } from "../tables.ts";
import { countRows } from "../work-budget.ts";
import type { RowForm } from "./row-form.ts";

const READ_BLOCKS = `
  SELECT range.n, range.run, block.first_key, block.body
  FROM unnest($2::bigint[], $3::bytea[], $4::bytea[]) WITH ORDINALITY AS range (run, low, high, n)
  CROSS JOIN LATERAL (
    (SELECT first_key, body FROM blocks
      WHERE owner = $1 AND run = range.run AND first_key <= range.low ORDER BY first_key DESC LIMIT 1)
    UNION ALL
    (SELECT first_key, body FROM blocks
      WHERE owner = $1 AND run = range.run AND first_key > range.low AND first_key < range.high
      ORDER BY first_key LIMIT $5)) AS block
  ORDER BY range.n, block.first_key`;

const SEE_PROGRAM = `SELECT set_config('rungs.before', current_setting('rungs.owner', true), true), set_config('rungs.owner', '${PROGRAM_OWNER}', true)`;
const SEE_AS_BEFORE = "SELECT set_config('rungs.owner', current_setting('rungs.before', true), true)";

const arrayTypes: Record<ColumnType, string> = {
  int: "bigint[]",
  text: "text[]",
  bytes: "bytea[]",
  real: "float8[]",
};
const INSERT_ROWS = 500;
const wideTables = new Set<TableName>(["records", "chunks", "blocks", "blob_chunks"]);
const WIDE_ROWS = 16;
/** `insert` waits for the server while more than this is unsent. */
const UNSENT_BYTES = 1 << 20;

/** Receives each statement with its duration, counted from its sending or the previous statement's answer, whichever is later. */
export type StatementWatch = (
  text: string,
  values: readonly Value[],
  duration_ms: number,
  rows: number,
) => void;

/** Statements of one connection, pipelined: the server answers in the order in which they are sent. */
export class PostgresSql implements WriteSql {
  readonly #form: RowForm;
  readonly #client: pg.PoolClient;
  readonly #traffic: Traffic;
  readonly #names: Map<string, string>;
  readonly #watch: StatementWatch | undefined;
  #answered_ms = 0;
  #lastSent: Promise<unknown> = Promise.resolve();
  #failure: Error | undefined;
  /** Set when the connection must not be reused. */
  lost: Error | undefined;
  /** The process of the server that runs the transaction; behind a pooler it is not that of the connection. */
  process_id: number | undefined;

  constructor(
    client: pg.PoolClient,
    traffic: Traffic,
    names: Map<string, string>,
    form: RowForm,
    watch?: StatementWatch,
  ) {
    this.#form = form;
    this.#client = client;
    this.#traffic = traffic;
    this.#names = names;
    this.#watch = watch;
  }

  get dialect(): Dialect {
    return this.#form.dialect;
  }

  async all<R extends SqlRow>(statement: string, values: readonly Value[] = []): Promise<R[]> {
    const { rows } = await this.#query<R>(statement, values.map(findable));
    countRows(this.#traffic, rows);
    return rows;
  }

  async run(statement: string, values: readonly Value[] = []): Promise<number> {
    return (await this.#query(statement, values)).rowCount ?? 0;
  }

  /** Sends rows without waiting for the server: the next statement, or `flush`, throws the error if one fails. */
  async insert(table: TableName, rows: readonly (readonly Value[])[]): Promise<void> {
    const isPlain = wideTables.has(table) || rows.length === 1;
    const closed = this.#form.close(table, rows);
    for (const [statement, values] of isPlain ? insertPlain(table, closed) : insertArrays(table, closed)) {
      this.send(statement, values);
      if (this.#client.connection.stream.writableLength > UNSENT_BYTES) await this.#lastSent;
      // Yields to the event loop so that the socket drains: the server works while the next rows are built.
      else await yieldToEventLoop();
    }
  }

  async readBlocks(
    owner: number,
    ranges: readonly BlockRange[],
    limit: number | null = null,
  ): Promise<Uint8Array[][]> {
    const bodies: Uint8Array[][] = ranges.map(() => []);
    if (ranges.length === 0) return bodies;
    const columns = [
      ranges.map(({ segment }) => segment),
      ranges.map(({ from }) => from),
      ranges.map(({ to }) => to),
    ];
    const rows = await this.all<{ n: number; run: number; first_key: Uint8Array; body: Uint8Array }>(
      READ_BLOCKS,
      [owner, ...(columns as unknown as Value[]), limit],
    );
    for (const { n, run, first_key, body } of rows) {
      const own = bodies[n - 1] as Uint8Array[];
      if (limit === null || own.length < limit)
        own.push(this.dialect.openBody("blocks", [owner, run, first_key], body));
    }
    return bodies;
  }

  /** Sends a statement without waiting for its answer. */
  send(statement: string, values: readonly Value[] = []): void {
    this.#send(this.#submit(statement, values));
  }

  /** Begins a transaction: one message with several statements, the last of which says what process of the server runs it. */
  begin(statements: string): void {
    const answers = this.#client.query(statements) as unknown as Promise<pg.QueryResult<{ pid: number }>[]>;
    this.#send(
      answers.then((results) => {
        this.process_id = results.at(-1)?.rows[0]?.pid;
      }),
    );
  }

  /** Waits for the answers to all statements sent; throws the first error. */
  async flush(): Promise<void> {
    await this.#lastSent;
    this.requireSuccess();
  }

  /** Throws the first error among the answers so far. */
  requireSuccess(): void {
    if (this.#failure) throw this.#failure;
  }

  /** Three statements back to back, so that no other runs in between. */
  async readSecret(name: string): Promise<string | undefined> {
    this.send(SEE_PROGRAM);
    const rows = this.all<{ value: string }>(READ_SECRET, [name]);
    this.send(SEE_AS_BEFORE);
    return (await rows)[0]?.value;
  }

  async rollBack(): Promise<void> {
    await this.#submit("ROLLBACK", []).catch((error: Error) => {
      this.lost = error;
    });
  }

  #send(answer: Promise<unknown>): void {
    this.#lastSent = answer.then(
      () => undefined,
      (error: Error) => {
        this.#failure ??= error;
      },
    );
  }

  /** Throws the first error of the pipeline: the statements after a failed one only report that the transaction is aborted. */
  async #query<R extends SqlRow>(statement: string, values: readonly Value[]): Promise<pg.QueryResult<R>> {
    const result = await this.#submit<R>(statement, values).catch((error: unknown) => {
      throw this.#failure ?? error;
    });
    // If not even BEGIN succeeded, this statement ran outside a transaction.
    this.requireSuccess();
    return result;
  }

  #submit<R extends SqlRow>(text: string, values: readonly Value[]): Promise<pg.QueryResult<R>> {
    let name = this.#names.get(text);
    if (!name) {
      name = `s${this.#names.size}`;
      this.#names.set(text, name);
    }
    const answer = this.#client.query<R>({ name, text, values: values as unknown[] });
    return this.#watch ? this.#measure(answer, text, values, this.#watch) : answer;
  }

  async #measure<R extends SqlRow>(
    answer: Promise<pg.QueryResult<R>>,
    text: string,
    values: readonly Value[],
    watch: StatementWatch,
  ): Promise<pg.QueryResult<R>> {
    const sent_ms = performance.now();
    const result = await answer;
    const now_ms = performance.now();
    watch(text, values, now_ms - Math.max(sent_ms, this.#answered_ms), result.rowCount ?? 0);
    this.#answered_ms = now_ms;
    return result;
  }
}

type Statement = readonly [text: string, values: readonly Value[]];

function* insertArrays(table: TableName, rows: readonly (readonly Value[])[]): Generator<Statement> {
  const types = Object.values(tables[table]) as ColumnType[];
  const placeholders = types.map((type, at) => `$${at + 1}::${arrayTypes[type]}`);
  const statement = `INSERT INTO ${table} SELECT * FROM unnest(${placeholders.join(", ")})`;
  for (let start = 0; start < rows.length; start += INSERT_ROWS) {
    const some = rows.slice(start, start + INSERT_ROWS);
    yield [statement, types.map((_, column) => some.map((row) => row[column])) as unknown as Value[]];
  }
}

/** One parameter per value: inside an array parameter, text is escaped and bytes take twice the space. */
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
  const placeholders = Array.from({ length: count }, (_, row) => {
    const ofRow = Array.from({ length: columns }, (_, column) => `$${row * columns + column + 1}`);
    return `(${ofRow.join(", ")})`;
  });
  return `INSERT INTO ${table} VALUES ${placeholders.join(", ")}`;
}

/**
 * PostgreSQL's text cannot contain NUL, and it refuses such a parameter. Keys, names and digests never contain control
 * characters, so a lookup with another control character in its place finds nothing either.
 */
export function findable(value: Value): Value {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\u0001") : value;
  return Array.isArray(value) && value.some((one) => typeof one === "string" && one.includes("\0"))
    ? (value.map(findable) as string[])
    : value;
}
