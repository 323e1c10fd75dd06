/** Owners and their accounts. */
import { createHash } from "node:crypto";
import { ApiError } from "@rungs/contract";
import type { Catalog } from "../catalog/catalog.ts";
import { type Database, EVERYONE, type Sql, type WriteSql } from "../database.ts";
import { PROGRAM_OWNER } from "../schema.ts";
import type { OwnerAccount, Store } from "../store.ts";
import { type TableName, tables } from "../tables.ts";
import {
  ACCOUNT_COLUMNS,
  type AccountRow,
  createNoOwner,
  FIRST_OWNER,
  type StoredAccount,
  toAccount,
} from "./account.ts";
import { recount } from "./usage.ts";

/**
 * Names of removed owners, as digests: copies of grants and tokens elsewhere name their owner, so no name is reused.
 */
const REMOVED_KIND = "owner_removed";
/** Rows that give or could restore access, deleted first. */
const ACCESS_TABLES: readonly TableName[] = [
  "tokens",
  "state",
  "grants",
  "grant_usage",
  "exclusions",
  "syncs",
];

export function createOwners(
  database: Database,
  catalog: Catalog,
  deleteConnection: Store["deleteConnection"],
) {
  /** The new owner's number; undefined if the name is taken. */
  async function addRow(
    sql: WriteSql,
    owner_id: string,
    account: StoredAccount | null,
  ): Promise<number | undefined> {
    const [row] = await sql.all("SELECT owner FROM owners WHERE owner_id = $1", [owner_id]);
    if (row) return undefined;
    const owner = await takeOwnerNumber(sql);
    const counts = account === null ? [null, null] : [0, 0];
    const stored = account === null ? null : JSON.stringify(account);
    await sql.insert("owners", [[owner, owner_id, 1, 1, 1, 0, null, stored, ...counts, null]]);
    return owner;
  }

  async function readAccount(sql: Sql, owner: number): Promise<AccountRow> {
    const [row] = await sql.all<AccountRow>(`SELECT ${ACCOUNT_COLUMNS} FROM owners WHERE owner = $1`, [
      owner,
    ]);
    if (!row) throw createNoOwner();
    return row;
  }

  return {
    async putOwner(owner_id) {
      await database.write(EVERYONE, (sql) => addRow(sql, owner_id, null));
    },

    addOwner: ({ owner_id, created_at, quota }, states = []) =>
      database.write(EVERYONE, async (sql) => {
        const removed = await sql.all(
          "SELECT 1 AS found FROM state WHERE owner = $1 AND kind = $2 AND id = $3",
          [PROGRAM_OWNER, REMOVED_KIND, digestName(owner_id)],
        );
        if (removed.length > 0) return false;
        const owner = await addRow(sql, owner_id, { created_at, is_admin: false, quota });
        if (owner === undefined) return false;
        const rows = states.map(({ kind, id, value }) => [
          owner,
          kind,
          id,
          null,
          JSON.stringify(value),
          null,
        ]);
        await sql.insert("state", rows);
        return true;
      }),

    async listOwners() {
      const rows = await database.peek(EVERYONE, (sql) =>
        sql.all<{ owner_id: string }>("SELECT owner_id FROM owners WHERE owner > 0 ORDER BY owner"),
      );
      return rows.map((row) => row.owner_id);
    },

    async listAccounts() {
      const rows = await database.peek(EVERYONE, (sql) =>
        sql.all<AccountRow>(`SELECT ${ACCOUNT_COLUMNS} FROM owners WHERE owner > 0 ORDER BY owner`),
      );
      return rows.map(toAccount);
    },

    async getAccount(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      return toAccount(await database.peek(owner, (sql) => readAccount(sql, owner)));
    },

    async changeAccount(owner_id, change) {
      const owner = await catalog.requireOwner(owner_id);
      return database.write(owner, async (sql) => {
        const before = await readAccount(sql, owner);
        const { created_at, is_admin, quota }: OwnerAccount = { ...toAccount(before), ...change };
        const account: StoredAccount = { created_at, is_admin, quota };
        await sql.run("UPDATE owners SET account = $2 WHERE owner = $1", [owner, JSON.stringify(account)]);
        const isLimited = (quota.records ?? quota.bytes) !== undefined;
        if (isLimited && before.record_count === null) await recount({ sql, owner });
        return toAccount(await readAccount(sql, owner));
      });
    },

    async countUsage(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      return database.write(owner, (sql) => recount({ sql, owner }));
    },

    async removeOwner(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      if (owner <= FIRST_OWNER)
        throw new ApiError("not_found", {
          message: "The first owner came with the database and stays.",
          next: "Delete the owner's connections instead, or the whole database.",
        });
      await database.flushAuditJournal();
      await database.write(owner, async (sql) => {
        for (const table of ACCESS_TABLES) await sql.run(`DELETE FROM ${table} WHERE owner = $1`, [owner]);
      });
      const connections = await database.peek(owner, (sql) =>
        sql.all<{ connection_id: string }>("SELECT connection_id FROM connections WHERE owner = $1", [owner]),
      );
      for (const { connection_id } of connections) await deleteConnection(owner_id, connection_id);
      await database.write(EVERYONE, async (sql) => {
        for (const table of Object.keys(tables))
          await sql.run(`DELETE FROM ${table} WHERE owner = $1`, [owner]);
        await sql.run(
          "INSERT INTO state (owner, kind, id, value) VALUES ($1, $2, $3, 'null') ON CONFLICT DO NOTHING",
          [PROGRAM_OWNER, REMOVED_KIND, digestName(owner_id)],
        );
      });
      catalog.forgetOwner(owner_id);
    },

    async listSyncingOwners() {
      const rows = await database.peek(EVERYONE, (sql) =>
        sql.all<{ owner_id: string }>(
          "SELECT DISTINCT o.owner, o.owner_id FROM syncs s JOIN owners o ON o.owner = s.owner WHERE s.is_paused = 0 ORDER BY o.owner",
        ),
      );
      return rows.map(({ owner_id }) => owner_id);
    },
  } satisfies Partial<Store>;
}

function digestName(owner_id: string): string {
  return createHash("sha256").update(owner_id).digest("hex");
}

/** Never reuses a number: another process may still hold a removed owner's. */
async function takeOwnerNumber(sql: WriteSql): Promise<number> {
  const [row] = await sql.all<{ last: number; next: number }>(
    `SELECT max(owner) AS last, max(CASE WHEN owner = ${PROGRAM_OWNER} THEN next_doc END) AS next FROM owners`,
  );
  const owner = Math.max((row?.last ?? PROGRAM_OWNER) + 1, row?.next ?? 0);
  await sql.run(`UPDATE owners SET next_doc = $1 WHERE owner = ${PROGRAM_OWNER}`, [owner + 1]);
  return owner;
}
