/** Grants, tokens, and what a token gives access to. */
import type { Exclusion, Grant } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import { type Database, type Dialect, omitNulls, type SqlRow } from "../database.ts";
import { parseAccount } from "../owners/account.ts";
import type { Connection, Store, StoredGrant, StoredToken } from "../store.ts";

interface GrantRow extends SqlRow {
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
function toGrant({ body, revoked_at }: GrantRow): StoredGrant {
  return { grant: JSON.parse(body) as Grant, ...(revoked_at === null ? {} : { revoked_at }) };
}

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
function toToken(row: SqlRow): StoredToken {
  return {
    ...omitNulls(row),
    grant_ids: JSON.parse(row.grant_ids as string),
  } as unknown as StoredToken;
}

/** The kinds of rows that belong to a token `t`: their join, and their columns. */
const kinds = {
  token: {
    from: "JOIN owners x ON x.owner = t.owner",
    columns: [
      "x.owner_id",
      "t.digest",
      "t.kind",
      "t.client_id",
      "t.grant_ids",
      "t.created_at",
      "t.expires_at",
      "t.revoked_at",
      "t.audience",
      "x.account",
      "x.write_version",
    ],
  },
  grant: { from: "JOIN grants x ON x.owner = t.owner", columns: ["x.body", "x.revoked_at"] },
  exclusion: { from: "JOIN exclusions x ON x.owner = t.owner", columns: ["x.body"] },
  connection: {
    from: "JOIN connections x ON x.owner = t.owner",
    columns: ["x.connection_id", "x.source_id", "x.declaration_version", "x.display_name", "x.created_at"],
  },
} as const;

type Kind = keyof typeof kinds;

/** Reads a token with its grants, connections and its owner's exclusions in one statement: every request starts with it. */
export function createAccess(database: Database) {
  let statement: string | undefined;
  return {
    async findAccess(digest) {
      const rows = await database.peekByToken(digest, (sql) => {
        statement ??= writeStatement(sql.dialect);
        return sql.all(statement, [digest]);
      });
      const [found] = pick(rows, "token");
      if (!found) return undefined;
      const { account, write_version, ...token } = found;
      const { quota } = parseAccount(0, account as string | null);
      const connections = pick(rows, "connection") as unknown as Connection[];
      return {
        token: toToken(token),
        quota,
        write_version: write_version === null ? undefined : Number(write_version),
        grants: pick(rows, "grant").map((row) => toGrant(row as GrantRow)),
        exclusions: pick(rows, "exclusion").map(({ body }) => JSON.parse(body as string) as Exclusion),
        connections: connections.sort((a, b) => (a.connection_id < b.connection_id ? -1 : 1)),
      };
    },
  } satisfies Partial<Store>;
}

/** A UNION ALL of all kinds, padded with NULL columns to the widest. */
function writeStatement(dialect: Dialect): string {
  const width = Math.max(...Object.values(kinds).map(({ columns }) => columns.length));
  return Object.entries(kinds)
    .map(([kind, { from, columns }]) => {
      const own: readonly string[] = columns;
      const cells = Array.from({ length: width }, (_, at) => `${own[at] ?? "NULL"} AS c${at}`);
      const listed = kind === "grant" ? ` AND ${dialect.isListed("x.grant_id", "t.grant_ids")}` : "";
      return `SELECT '${kind}' AS what, ${cells.join(", ")} FROM tokens t ${from} WHERE t.digest = $1${listed}`;
    })
    .join(" UNION ALL ");
}

function pick(rows: readonly SqlRow[], kind: Kind): SqlRow[] {
  const names = kinds[kind].columns.map((column) => column.slice(2));
  return rows
    .filter(({ what }) => what === kind)
    .map((row) => Object.fromEntries(names.map((name, at) => [name, row[`c${at}`] ?? null])));
}
