import type { SlowWatch } from "../slow-queries.ts";
import type { StoreOptions } from "../store.ts";
import { createReadOnly, type Reader } from "../workers/reader.ts";
import { BUSY_MS, findOwner, inTransaction } from "./database.ts";
import { openReadConnection, SqliteSql } from "./sqlite-sql.ts";

/** Opens one reading connection to a database that a writer has open. Sees every commit that came before a read. */
export function openSqliteReader(
  file: string,
  { busy_ms = BUSY_MS, key }: Pick<StoreOptions, "busy_ms" | "key">,
  slow?: SlowWatch,
): Reader {
  const traffic = { statements: 0, rows: 0, bytes: 0 };
  const sql = new SqliteSql(openReadConnection(file, key), traffic, slow);
  const database = createReadOnly({
    traffic,
    read: (_whose, work) => inTransaction(sql, "BEGIN", busy_ms, () => work(sql)),
    peek: (_whose, work) => work(sql),
    peekByToken: (_digest, work) => work(sql),
    findOwner: (owner_id) => findOwner(sql, owner_id),
    close: async () => sql.connection.close(),
  });
  const nothing = () => undefined;
  return { database, require: nothing, cancel: nothing, drop: nothing };
}
