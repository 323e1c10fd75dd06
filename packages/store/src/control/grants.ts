import type { Grant } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import { type Database, Parameters, type SqlRow, type TableName, tables } from "../database.ts";
import { createTimedId } from "../rows/timed-id.ts";
import type { AuditEntry, Store, StoredAuditEntry, StoredGrant, StoredToken } from "../store.ts";

/** A grant as it is stored. */
export interface GrantRow extends SqlRow {
  body: string;
  revoked_at: string | null;
}

/** How long a token is remembered after its end. */
const ENDED_MS = 30 * 24 * 60 * 60 * 1000;
const TOKEN_COLUMNS =
  "o.owner_id, t.digest, t.kind, t.client_id, t.grant_ids, t.created_at, t.expires_at, t.revoked_at, t.audience";

export function createGrants(database: Database, catalog: Catalog, now: () => Date) {
  return {
    async putGrant(owner_id, grant) {
      const owner = await catalog.requireOwner(owner_id);
      await database.write(owner, (sql) =>
        sql.insert("grants", [[owner, grant.grant_id, JSON.stringify(grant), null]]),
      );
    },

    async listGrants(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      const rows = await database.peek((sql) =>
        sql.all<GrantRow>("SELECT body, revoked_at FROM grants WHERE owner = $1 ORDER BY grant_id", [owner]),
      );
      return rows.map(toGrant);
    },

    async getGrant(owner_id, grant_id) {
      const owner = await catalog.requireOwner(owner_id);
      const [row] = await database.peek((sql) =>
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

    async putToken(token) {
      const owner = await catalog.requireOwner(token.owner_id);
      const { digest, kind, client_id, grant_ids, created_at, expires_at, revoked_at, audience } = token;
      const row = [
        owner,
        digest,
        kind,
        client_id,
        JSON.stringify(grant_ids),
        created_at,
        expires_at ?? null,
        revoked_at ?? null,
        audience ?? null,
      ];
      await database.write(owner, async (sql) => {
        // An access token lasts an hour: each client leaves hundreds of rows in a month.
        const ended = new Date(now().getTime() - ENDED_MS).toISOString();
        await sql.run("DELETE FROM tokens WHERE owner = $1 AND (expires_at <= $2 OR revoked_at <= $2)", [
          owner,
          ended,
        ]);
        await sql.insert("tokens", [row]);
      });
    },

    async listTokens(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      const rows = await database.peek((sql) =>
        sql.all(
          `SELECT ${TOKEN_COLUMNS} FROM tokens t JOIN owners o ON o.owner = t.owner
           WHERE t.owner = $1 ORDER BY t.created_at DESC, t.digest`,
          [owner],
        ),
      );
      return rows.map(toToken);
    },

    async findToken(digest) {
      const [row] = await database.peek((sql) =>
        sql.all(
          `SELECT ${TOKEN_COLUMNS} FROM tokens t JOIN owners o ON o.owner = t.owner WHERE t.digest = $1`,
          [digest],
        ),
      );
      return row && toToken(row);
    },

    async revokeToken(owner_id, digest, at) {
      const owner = await catalog.requireOwner(owner_id);
      return database.write(
        owner,
        async (sql) =>
          (await sql.run(
            "UPDATE tokens SET revoked_at = $3 WHERE owner = $1 AND digest = $2 AND revoked_at IS NULL",
            [owner, digest, at],
          )) > 0,
      );
    },

    async appendAudit(owner_id, rows) {
      const owner = await catalog.requireOwner(owner_id);
      const entries = rows.map((row) => [
        owner,
        createTimedId(),
        ...AUDIT_COLUMNS.map((column) => row[column] ?? null),
      ]);
      await database.appendAuditRows(entries);
    },

    async listAudit(owner_id, filter) {
      const owner = await catalog.requireOwner(owner_id);
      await database.flushAuditJournal();
      const parameters = new Parameters();
      const conditions = [`owner = ${parameters.add(owner)}`];
      if (filter.grant_id !== undefined) conditions.push(`grant_id = ${parameters.add(filter.grant_id)}`);
      if (filter.client_id !== undefined) conditions.push(`client_id = ${parameters.add(filter.client_id)}`);
      if (filter.since !== undefined) conditions.push(`at >= ${parameters.add(filter.since)}`);
      if (filter.before_audit_id !== undefined)
        conditions.push(`audit_id < ${parameters.add(filter.before_audit_id)}`);
      const rows = await database.peek((sql) =>
        sql.all(
          `SELECT audit_id, ${AUDIT_COLUMNS.join(", ")} FROM audit WHERE ${conditions.join(" AND ")} ORDER BY audit_id DESC LIMIT ${parameters.add(filter.limit)}`,
          parameters.values,
        ),
      );
      return rows.map((row) => withoutNulls(row) as unknown as StoredAuditEntry);
    },

    async getSecret(name, create) {
      return database.write(0, async (sql) => {
        const [row] = await sql.all<{ value: string }>(
          "SELECT value FROM secrets WHERE owner = 0 AND name = $1",
          [name],
        );
        if (row) return row.value;
        const value = create();
        await sql.insert("secrets", [[0, name, value]]);
        return value;
      });
    },
  } satisfies Partial<Store>;
}

const AUDIT_COLUMNS = Object.keys(tables["audit" satisfies TableName]).slice(2) as (keyof AuditEntry)[];

/** A token from its row. */
export function toToken(row: SqlRow): StoredToken {
  return {
    ...withoutNulls(row),
    grant_ids: JSON.parse(row.grant_ids as string),
  } as unknown as StoredToken;
}

/** A grant from its row. */
export function toGrant({ body, revoked_at }: GrantRow): StoredGrant {
  return { grant: JSON.parse(body) as Grant, ...(revoked_at === null ? {} : { revoked_at }) };
}

function withoutNulls(row: SqlRow): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
