/** The log of syncs. */
import type { Catalog } from "../catalog/catalog.ts";
import type { Database } from "../database.ts";
import type { Store } from "../store.ts";

/** How many runs of a sync are kept. */
const KEPT_RUNS = 500;

export function createSyncRuns(database: Database, catalog: Catalog) {
  return {
    async putSyncRun(owner_id, { sync_id, started_ms, body }) {
      const owner = await catalog.requireOwner(owner_id);
      const key = [owner, sync_id, started_ms];
      await database.write(owner, async (sql) => {
        await sql.run("DELETE FROM sync_runs WHERE owner = $1 AND sync_id = $2 AND started_ms = $3", key);
        await sql.insert("sync_runs", [[...key, JSON.stringify(body)]]);
        const [oldest] = await sql.all<{ started_ms: number }>(
          "SELECT started_ms FROM sync_runs WHERE owner = $1 AND sync_id = $2 ORDER BY started_ms DESC LIMIT 1 OFFSET $3",
          [owner, sync_id, KEPT_RUNS],
        );
        if (oldest)
          await sql.run("DELETE FROM sync_runs WHERE owner = $1 AND sync_id = $2 AND started_ms <= $3", [
            owner,
            sync_id,
            oldest.started_ms,
          ]);
      });
    },

    async listSyncRuns(owner_id, sync_id, limit) {
      const owner = await catalog.requireOwner(owner_id);
      const rows = await database.peek(owner, (sql) =>
        sql.all<{ sync_id: string; started_ms: number; body: string }>(
          `SELECT sync_id, started_ms, body FROM sync_runs
           WHERE owner = $1 AND sync_id = $2 ORDER BY started_ms DESC LIMIT $3`,
          [owner, sync_id, limit],
        ),
      );
      return rows.map(({ body, ...row }) => ({ ...row, body: JSON.parse(body) as unknown }));
    },
  } satisfies Partial<Store>;
}
