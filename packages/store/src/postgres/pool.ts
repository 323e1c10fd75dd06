import pg from "pg";

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
    pipeline: true,
  });
  // A connection that dies while idle is replaced; one that dies in use tells its next query.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}
