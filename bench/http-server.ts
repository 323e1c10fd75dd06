/** A server process for the bench: `node http-server.ts DATABASE`. Prints its address. */
import { createServer, openSealer } from "@rungs/server";
import { openPostgres } from "@rungs/store/postgres";
import { openSqlite } from "@rungs/store/sqlite";
import { listen } from "rungs/internal/listen";

const database = process.argv[2] ?? "";
// As `rungs serve` opens it.
const store = await (database.startsWith("postgres:")
  ? openPostgres(database, { workers: 4 })
  : openSqlite(database, { workers: 4 }));
const rate = { burst: 1e9, per_second: 1e9 };
const app = createServer({
  store,
  sealer: await openSealer(store),
  limits: { rate },
  log: (entry) => entry.status >= 500 && console.error(JSON.stringify(entry)),
});
const { url, stop } = await listen(app.fetch, { host: "127.0.0.1", port: 0 });
console.log(url);
process.once("SIGTERM", async () => {
  await stop();
  await store.close();
});
