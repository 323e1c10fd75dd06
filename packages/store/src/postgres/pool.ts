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

/** A connection pool; `options` apply to each connection. */
export function createPool(url: string, { max, options = "" }: { max: number; options?: string }): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    types: typeParsers,
    max,
    keepAlive: true,
    options: `${PLANNING} ${options}`,
    pipeline: true,
  });
  // The pool replaces a connection that dies while idle; one that dies in use fails its next query.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}
