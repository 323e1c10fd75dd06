import type { Catalog } from "../catalog/catalog.ts";
import type { Database, SqlRow } from "../database.ts";
import { PROGRAM_OWNER } from "../schema.ts";
import type { State, Store } from "../store.ts";

interface StateRow extends SqlRow {
  kind: string;
  id: string;
  bundle: string | null;
  value: string;
  expires_ms: number | null;
}

const COLUMNS = "kind, id, bundle, value, expires_ms";
const ONE = "owner = $1 AND kind = $2 AND id = $3";
const IN_TIME = "(expires_ms IS NULL OR expires_ms > $4)";

/** Small values that the program itself stores: `state` rows per owner, and secrets. */
export function createState(database: Database, catalog: Catalog, now: () => Date) {
  const nowMs = () => now().getTime();
  return {
    async putState(owner_id, { kind, id, value, expires_at_ms, bundle }) {
      const owner = await catalog.requireOwner(owner_id);
      await database.write(owner, async (sql) => {
        await sql.run("DELETE FROM state WHERE owner = $1 AND expires_ms <= $2", [owner, nowMs()]);
        await sql.run(`DELETE FROM state WHERE ${ONE}`, [owner, kind, id]);
        const row = [owner, kind, id, bundle ?? null, JSON.stringify(value), expires_at_ms ?? null];
        await sql.insert("state", [row]);
      });
    },

    async getState(owner_id, kind, id) {
      const owner = await catalog.requireOwner(owner_id);
      const [row] = await database.peek(owner, (sql) =>
        sql.all<StateRow>(`SELECT ${COLUMNS} FROM state WHERE ${ONE} AND ${IN_TIME}`, [
          owner,
          kind,
          id,
          nowMs(),
        ]),
      );
      return row && toState(row);
    },

    async listState(owner_id, kind) {
      const owner = await catalog.requireOwner(owner_id);
      const rows = await database.peek(owner, (sql) =>
        sql.all<StateRow>(
          `SELECT ${COLUMNS} FROM state
           WHERE owner = $1 AND kind = $2 AND (expires_ms IS NULL OR expires_ms > $3) ORDER BY id`,
          [owner, kind, nowMs()],
        ),
      );
      return rows.map(toState);
    },

    async takeState(owner_id, kind, id) {
      const owner = await catalog.requireOwner(owner_id);
      const [row] = await database.write(owner, (sql) =>
        sql.all<StateRow>(`DELETE FROM state WHERE ${ONE} AND ${IN_TIME} RETURNING ${COLUMNS}`, [
          owner,
          kind,
          id,
          nowMs(),
        ]),
      );
      return row && toState(row);
    },

    async deleteState(owner_id, kind, id) {
      const owner = await catalog.requireOwner(owner_id);
      await database.write(owner, (sql) => sql.run(`DELETE FROM state WHERE ${ONE}`, [owner, kind, id]));
    },

    async claimOnce(owner_id, key, expires_at_ms) {
      const owner = await catalog.requireOwner(owner_id);
      return database.claimOnce(owner, key, { expires_ms: expires_at_ms, now_ms: nowMs() });
    },

    async changeShared(owner_id, name, change) {
      const owner = await catalog.requireOwner(owner_id);
      return database.changeShared(owner, name, nowMs(), change);
    },

    async listBundle(owner_id, bundle) {
      const owner = await catalog.requireOwner(owner_id);
      const rows = await database.peek(owner, (sql) =>
        sql.all<StateRow>(
          `SELECT ${COLUMNS} FROM state
           WHERE owner = $1 AND bundle = $2 AND (expires_ms IS NULL OR expires_ms > $3) ORDER BY kind, id`,
          [owner, bundle, nowMs()],
        ),
      );
      return rows.map(toState);
    },

    async deleteBundle(owner_id, bundle) {
      const owner = await catalog.requireOwner(owner_id);
      await database.write(owner, (sql) =>
        sql.run("DELETE FROM state WHERE owner = $1 AND bundle = $2", [owner, bundle]),
      );
    },

    async getSecret(name, create) {
      return database.write(PROGRAM_OWNER, async (sql) => {
        const [row] = await sql.all<{ value: string }>(
          "SELECT value FROM secrets WHERE owner = $1 AND name = $2",
          [PROGRAM_OWNER, name],
        );
        if (row) return row.value;
        const value = create();
        await sql.insert("secrets", [[PROGRAM_OWNER, name, value]]);
        return value;
      });
    },
  } satisfies Partial<Store>;
}

function toState({ kind, id, bundle, value, expires_ms }: StateRow): State {
  return {
    kind,
    id,
    value: JSON.parse(value),
    ...(expires_ms === null ? {} : { expires_at_ms: expires_ms }),
    ...(bundle === null ? {} : { bundle }),
  };
}
