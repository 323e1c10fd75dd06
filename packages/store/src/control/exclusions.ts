/** The owner's exclusions. Changing them leaves no entry in the change log, so clients that follow changes start over. */
import type { Exclusion } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import type { Database, SqlContext, SqlRow, WriteSql } from "../database.ts";
import { deleteTags, startTagging } from "../rows/pattern-tags.ts";
import type { Store } from "../store.ts";
import { moveChanges } from "../upkeep/access-copy.ts";

interface ExclusionRow extends SqlRow {
  body: string;
  tagged_doc: number | null;
}

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
        const { rule_id } = exclusion;
        await remove(context, rule_id);
        await context.sql.insert("exclusions", [[context.owner, rule_id, JSON.stringify(exclusion), null]]);
        await startTagging(context, rule_id);
      }),

    async listExclusions(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      const rows = await database.peek(owner, (sql) =>
        sql.all<ExclusionRow>("SELECT body, tagged_doc FROM exclusions WHERE owner = $1 ORDER BY rule_id", [
          owner,
        ]),
      );
      return rows.map(({ body, tagged_doc }) => ({
        ...(JSON.parse(body) as Exclusion),
        ...(tagged_doc === null ? {} : { is_unfinished: true }),
      }));
    },

    deleteExclusion: (owner_id, rule_id) =>
      change(owner_id, async (context) => (await remove(context, rule_id)) > 0),
  } satisfies Partial<Store>;
}

async function remove(context: SqlContext<WriteSql>, rule_id: string): Promise<number> {
  await deleteTags(context, rule_id);
  return context.sql.run("DELETE FROM exclusions WHERE owner = $1 AND rule_id = $2", [
    context.owner,
    rule_id,
  ]);
}
