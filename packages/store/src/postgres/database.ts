import { deflateRawSync, inflateRawSync } from "node:zlib";
import pg from "pg";
import type {
  BlockRange,
  ColumnType,
  Database,
  Dialect,
  Row,
  TableName,
  Value,
  WriteSql,
} from "../database.ts";
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

const INT8 = 20;
const NUMERIC = 1700;
/** `count` and `sum` come as text from the driver; all our numbers are exact as JavaScript numbers. */
const typeParsers: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    return oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format as "text");
  },
};

/** Joins are made in the order in which they are written, as SQLite does: new tables have no statistics to choose by. */
const PLANNING = "-c join_collapse_limit=1";

/** Connections to a database; `options` are settings of each. */
export function createPool(url: string, { max, options = "" }: { max: number; options?: string }): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    types: typeParsers,
    max,
    keepAlive: true,
    options: `${PLANNING} ${options}`,
  });
  // A connection that dies while idle is replaced; one that dies in use tells its next query.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** `notes` is a pool whose commits do not wait for the disk. */
export function createPostgresDatabase(pool: pg.Pool, notes: pg.Pool): Database {
  const traffic: Traffic = { statements: 0, rows: 0, bytes: 0 };
  const names = new Map<string, string>();

  async function withClient<T>(
    begin: string | undefined,
    work: (sql: PostgresSql) => Promise<T>,
  ): Promise<T> {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      if (begin) await client.query(begin);
      const result = await work(new PostgresSql(client, traffic, names));
      if (begin) await client.query("COMMIT");
      return result;
    } catch (error) {
      if (begin) await client.query("ROLLBACK").catch((lost: Error) => (failure = lost));
      throw error;
    } finally {
      client.release(failure);
    }
  }

  return {
    traffic,
    read: (work) => withClient("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work),
    peek: (work) => withClient(undefined, work),
    write: (owner, work) => withClient("BEGIN", (sql) => holdOwner(sql, owner, work)),
    note: async (rows) => {
      const client = await notes.connect();
      try {
        await new PostgresSql(client, traffic, names).insert("audit", rows);
      } finally {
        client.release();
      }
    },
    gatherNotes: async () => undefined,
    async settle() {
      await pool.query("ANALYZE");
    },
    async close() {
      await Promise.all([pool.end(), notes.end()]);
    },
  };
}

/** Writers of an owner wait for each other here. */
async function holdOwner<T>(
  sql: PostgresSql,
  owner: number,
  work: (sql: WriteSql) => Promise<T>,
): Promise<T> {
  await sql.all("SELECT 1 FROM owners WHERE owner = $1 FOR UPDATE", [owner]);
  return work(sql);
}

class PostgresSql implements WriteSql {
  readonly dialect = dialect;
  readonly #client: pg.PoolClient;
  readonly #traffic: Traffic;
  readonly #names: Map<string, string>;

  constructor(client: pg.PoolClient, traffic: Traffic, names: Map<string, string>) {
    this.#client = client;
    this.#traffic = traffic;
    this.#names = names;
  }

  async all<R extends Row>(statement: string, values: readonly Value[] = []): Promise<R[]> {
    const { rows } = await this.#query<R>(statement, values.map(findable));
    countRows(this.#traffic, rows);
    return rows;
  }

  async run(statement: string, values: readonly Value[] = []): Promise<number> {
    return (await this.#query(statement, values)).rowCount ?? 0;
  }

  async insert(table: TableName, rows: readonly (readonly Value[])[]): Promise<void> {
    if (wideTables.has(table) || rows.length === 1) return this.#insertPlain(table, rows);
    const types = Object.values(tables[table]) as ColumnType[];
    const marks = types.map((type, at) => `$${at + 1}::${arrayTypes[type]}`);
    const statement = `INSERT INTO ${table} SELECT * FROM unnest(${marks.join(", ")})`;
    for (let start = 0; start < rows.length; start += INSERT_ROWS) {
      const some = rows.slice(start, start + INSERT_ROWS);
      const columns = types.map((_, column) => some.map((row) => row[column]));
      await this.#query(statement, columns as unknown as Value[]);
    }
  }

  /** A value by itself goes as it is; in an array, text is escaped and bytes are doubled. */
  async #insertPlain(table: TableName, rows: readonly (readonly Value[])[]): Promise<void> {
    const columns = Object.keys(tables[table]).length;
    for (let start = 0; start < rows.length; ) {
      const count = rows.length - start >= WIDE_ROWS ? WIDE_ROWS : 1;
      const marks = Array.from({ length: count }, (_, row) => {
        const own = Array.from({ length: columns }, (_, column) => `$${row * columns + column + 1}`);
        return `(${own.join(", ")})`;
      });
      await this.#query(
        `INSERT INTO ${table} VALUES ${marks.join(", ")}`,
        rows.slice(start, start + count).flat() as Value[],
      );
      start += count;
    }
  }

  async readBlocks(owner: number, ranges: readonly BlockRange[]): Promise<Uint8Array[][]> {
    const bodies: Uint8Array[][] = ranges.map(() => []);
    if (ranges.length === 0) return bodies;
    const columns = [
      ranges.map(({ run }) => run),
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

  #query<R extends Row>(text: string, values: readonly Value[]): Promise<pg.QueryResult<R>> {
    let name = this.#names.get(text);
    if (!name) {
      name = `s${this.#names.size}`;
      this.#names.set(text, name);
    }
    return this.#client.query<R>({ name, text, values: values as unknown[] });
  }
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
