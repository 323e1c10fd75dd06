/** How much a grant with a budget has read (R83). Counted in one transaction, so that several servers share one budget. */
import type { GrantBudget } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import type { Database, SqlContext, SqlRow } from "../database.ts";
import type { GrantUsage, Store } from "../store.ts";

const COLUMNS = "day, day_records, day_bytes, records, bytes";
const NONE: GrantUsage = { day: "", day_records: 0, day_bytes: 0, records: 0, bytes: 0 };

export function createGrantUsage(database: Database, catalog: Catalog) {
  return {
    async spendBudget(owner_id, grant_id, budget, { day, records, bytes }) {
      const owner = await catalog.requireOwner(owner_id);
      return database.write(owner, async (sql) => {
        const before = startDay(await readUsage({ sql, owner }, grant_id), day);
        const after = {
          day: before.day,
          day_records: before.day_records + records,
          day_bytes: before.day_bytes + bytes,
          records: before.records + records,
          bytes: before.bytes + bytes,
        };
        if (!fitsBudget(after, budget)) return { is_spent: false, usage: before };
        await sql.run("DELETE FROM grant_usage WHERE owner = $1 AND grant_id = $2", [owner, grant_id]);
        const cells = [after.day_records, after.day_bytes, after.records, after.bytes];
        await sql.insert("grant_usage", [[owner, grant_id, after.day, ...cells]]);
        return { is_spent: true, usage: after };
      });
    },

    async getUsage(owner_id, grant_id, day) {
      const owner = await catalog.requireOwner(owner_id);
      return startDay(await database.peek(owner, (sql) => readUsage({ sql, owner }, grant_id)), day);
    },
  } satisfies Partial<Store>;
}

async function readUsage({ sql, owner }: SqlContext, grant_id: string): Promise<GrantUsage> {
  const [row] = await sql.all<GrantUsage & SqlRow>(
    `SELECT ${COLUMNS} FROM grant_usage WHERE owner = $1 AND grant_id = $2`,
    [owner, grant_id],
  );
  return row ?? NONE;
}

/** What counts on a day: a later day starts at zero. A clock that goes back does not renew a day. */
function startDay(usage: GrantUsage, day: string): GrantUsage {
  return usage.day >= day ? { ...usage } : { ...usage, day, day_records: 0, day_bytes: 0 };
}

function fitsBudget(usage: GrantUsage, budget: GrantBudget): boolean {
  const { records, bytes, records_per_day, bytes_per_day } = budget;
  return (
    usage.records <= (records ?? Infinity) &&
    usage.bytes <= (bytes ?? Infinity) &&
    usage.day_records <= (records_per_day ?? Infinity) &&
    usage.day_bytes <= (bytes_per_day ?? Infinity)
  );
}
