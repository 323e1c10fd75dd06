/** The owner's exclusions. A change of them is not in the change log, so clients that follow changes start over. */
import type { Exclusion } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import type { Database, SqlContext, WriteSql } from "../database.ts";
import type { Store } from "../store.ts";
import { moveChanges } from "../upkeep/access-copy.ts";

export function createExclusions(database: Database, catalog: Catalog) {
  async function change<T>(
    owner_id: string,
    work: (context: SqlContext<WriteSql>) => Promise<T>,
  ): Promise<T> {
    const owner = await catalog.requireOwner(owner_id);
    return database.write(owner, async (sql) => {
      const result = await work({ sql, owner });
      await moveChanges(sql, owner, 1);
      return result;
    });
  }

  return {
    putExclusion: (owner_id, exclusion) =>
      change(owner_id, async (context) => {
        await remove(context, exclusion.rule_id);
        await context.sql.insert("exclusions", [
          [context.owner, exclusion.rule_id, JSON.stringify(exclusion)],
        ]);
      }),

    async listExclusions(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      const rows = await database.peek(owner, (sql) =>
        sql.all<{ body: string }>("SELECT body FROM exclusions WHERE owner = $1 ORDER BY rule_id", [owner]),
      );
      return rows.map(({ body }) => JSON.parse(body) as Exclusion);
    },

    deleteExclusion: (owner_id, rule_id) =>
      change(owner_id, async (context) => (await remove(context, rule_id)) > 0),
  } satisfies Partial<Store>;
}

function remove({ sql, owner }: SqlContext<WriteSql>, rule_id: string): Promise<number> {
  return sql.run("DELETE FROM exclusions WHERE owner = $1 AND rule_id = $2", [owner, rule_id]);
}
