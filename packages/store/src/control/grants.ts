import type { Grant } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import type { Database, SqlRow } from "../database.ts";
import type { Store, StoredGrant } from "../store.ts";

export interface GrantRow extends SqlRow {
  body: string;
  revoked_at: string | null;
}

export function createGrants(database: Database, catalog: Catalog) {
  return {
    async putGrant(owner_id, grant) {
      const owner = await catalog.requireOwner(owner_id);
      await database.write(owner, (sql) =>
        sql.insert("grants", [[owner, grant.grant_id, JSON.stringify(grant), null]]),
      );
    },

    async listGrants(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      const rows = await database.peek(owner, (sql) =>
        sql.all<GrantRow>("SELECT body, revoked_at FROM grants WHERE owner = $1 ORDER BY grant_id", [owner]),
      );
      return rows.map(toGrant);
    },

    async getGrant(owner_id, grant_id) {
      const owner = await catalog.requireOwner(owner_id);
      const [row] = await database.peek(owner, (sql) =>
        sql.all<GrantRow>("SELECT body, revoked_at FROM grants WHERE owner = $1 AND grant_id = $2", [
          owner,
          grant_id,
        ]),
      );
      return row && toGrant(row);
    },

    async revokeGrant(owner_id, grant_id, at) {
      const owner = await catalog.requireOwner(owner_id);
      return database.write(
        owner,
        async (sql) =>
          (await sql.run(
            "UPDATE grants SET revoked_at = $3 WHERE owner = $1 AND grant_id = $2 AND revoked_at IS NULL",
            [owner, grant_id, at],
          )) > 0,
      );
    },

    async replaceGrant(owner_id, was, grant) {
      const owner = await catalog.requireOwner(owner_id);
      return database.write(
        owner,
        async (sql) =>
          (await sql.run(
            "UPDATE grants SET body = $4 WHERE owner = $1 AND grant_id = $2 AND body = $3 AND revoked_at IS NULL",
            [owner, was.grant_id, JSON.stringify(was), JSON.stringify(grant)],
          )) > 0,
      );
    },
  } satisfies Partial<Store>;
}

/** A grant from its row. */
export function toGrant({ body, revoked_at }: GrantRow): StoredGrant {
  return { grant: JSON.parse(body) as Grant, ...(revoked_at === null ? {} : { revoked_at }) };
}
