import pg from "pg";

const INT8 = 20;
const NUMERIC = 1700;
/** The driver returns `count` and `sum` as text; all our numbers are exact as JavaScript numbers. */
const typeParsers: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    return oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format as "text");
  },
};

/** PostgreSQL joins in the written order, as SQLite does for CROSS JOIN: new tables have no statistics to plan by. */
const PLANNING = "-c join_collapse_limit=1";

interface PoolSettings {
  readonly max: number;
  /** They apply to each connection. */
  readonly options?: string;
  /** The role that each connection works under; by default that of the URL. */
  readonly role?: string | undefined;
}

/** A connection pool. */
export function createPool(url: string, { max, options = "", role }: PoolSettings): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    types: typeParsers,
    max,
    keepAlive: true,
    options: [PLANNING, options, ...(role === undefined ? [] : [`-c role=${escapeOption(role)}`])].join(" "),
    pipeline: true,
  });
  // The pool replaces a connection that dies while idle; one that dies in use fails its next query.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** Options are separated by spaces, unless a backslash is before one (libpq, `options`). */
function escapeOption(value: string): string {
  return value.replaceAll(/[\\ ]/g, "\\$&");
}
