import type { Catalog } from "../catalog/catalog.ts";
import { type Database, omitNulls, type SqlRow } from "../database.ts";
import type { Store, StoredToken } from "../store.ts";

/** How long a token's row is kept after it expired or was revoked. */
const ENDED_MS = 30 * 24 * 60 * 60 * 1000;
const TOKEN_COLUMNS =
  "o.owner_id, t.digest, t.kind, t.client_id, t.grant_ids, t.created_at, t.expires_at, t.revoked_at, t.audience";
const TOKENS = "tokens t JOIN owners o ON o.owner = t.owner";

export function createTokens(database: Database, catalog: Catalog, now: () => Date) {
  return {
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
      const rows = await database.peek(owner, (sql) =>
        sql.all(
          `SELECT ${TOKEN_COLUMNS} FROM ${TOKENS} WHERE t.owner = $1 ORDER BY t.created_at DESC, t.digest`,
          [owner],
        ),
      );
      return rows.map(toToken);
    },

    async findToken(digest) {
      const [row] = await database.peekByToken(digest, (sql) =>
        sql.all(`SELECT ${TOKEN_COLUMNS} FROM ${TOKENS} WHERE t.digest = $1`, [digest]),
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
  } satisfies Partial<Store>;
}

/** A token from its row. */
export function toToken(row: SqlRow): StoredToken {
  return {
    ...omitNulls(row),
    grant_ids: JSON.parse(row.grant_ids as string),
  } as unknown as StoredToken;
}
