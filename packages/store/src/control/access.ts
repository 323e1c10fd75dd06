/** Reads a token with its grants, connections and its owner's exclusions in one statement: every request starts with it. */
import type { Exclusion } from "@rungs/contract";
import type { Database, Dialect, SqlRow } from "../database.ts";
import { parseAccount } from "../owners/account.ts";
import type { Connection, Store } from "../store.ts";
import { type GrantRow, toGrant } from "./grants.ts";
import { toToken } from "./tokens.ts";

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
      const { account, ...token } = found;
      const { quota } = parseAccount(0, account as string | null);
      const connections = pick(rows, "connection") as unknown as Connection[];
      return {
        token: toToken(token),
        quota,
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
