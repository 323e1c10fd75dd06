/** What a restore carries over from the replaced database: who may read, and what was deleted (R52, R73). */
import type { Catalog } from "../catalog/catalog.ts";
import { type Database, EVERYONE, type Sql, type SqlRow, type WriteSql } from "../database.ts";
import { startTagging } from "../rows/pattern-tags.ts";
import { PROGRAM_OWNER } from "../schema.ts";
import type { Cell, DeletedRecords, Store, TablePage } from "../store.ts";
import { type TableName, tables } from "../tables.ts";
import { ChangeKind } from "../write/change-log.ts";

/** Tables that a restored backup takes whole from the database that it replaces. Grants that only the backup has stay, revoked. */
const TAKEN: readonly TableName[] = ["secrets", "grant_usage", "tokens", "state", "audit", "audit_chains"];
const COPIED: readonly TableName[] = ["owners", "grants", "exclusions", ...TAKEN];
/** Tables of which a restored backup keeps its own rows too: those of the other database replace the ones with the same key. */
const REPLACED: Partial<Record<TableName, string>> = { grants: "grant_id", exclusions: "rule_id" };
/** State that describes records: a checkpoint of an import into the other database would skip items here. */
const IMPORT_STATE = "import";
const TOMBSTONES_PAGE = 1_000;
/** How far change numbers skip ahead when it is unknown which ones clients have seen. */
const UNSEEN_SEQS = 2 ** 32;

export function createAccessCopy(database: Database, catalog: Catalog, now: () => Date) {
  return {
    async takeAccessOf(source) {
      return database.write(EVERYONE, async (sql) => {
        const taking = new AccessTaker(sql, now());
        await source.dump((page) => taking.takePage(page), COPIED);
        return taking.finish();
      });
    },

    async endAllAccess() {
      await database.write(EVERYONE, async (sql) => {
        await revokeGrants(sql, now());
        for (const table of ["tokens", "state"]) await sql.run(`DELETE FROM ${table}`);
      });
    },

    async moveChangesOn() {
      await database.write(EVERYONE, async (sql) => {
        for (const owner of await listOwnerNumbers(sql)) await moveChanges(sql, owner, UNSEEN_SEQS);
      });
    },

    async *listDeleted(owner_id) {
      const owner = await catalog.requireOwner(owner_id);
      for (let after: readonly [number, string] = [-1, ""]; ; ) {
        const rows = await database.peek(owner, (sql) => readDeleted(sql, owner, after));
        yield* groupByStream(rows);
        const last = rows.at(-1);
        if (!last || rows.length < TOMBSTONES_PAGE) return;
        after = [last.part, last.record_id];
      }
    },
  } satisfies Partial<Store>;
}

/** Takes over rows, page by page, in the order of the tables: owners and secrets come first and show whether they belong here. */
class AccessTaker {
  readonly #sql: WriteSql;
  readonly #now: Date;
  readonly #known: { readonly owners: SqlRow[]; readonly secrets: SqlRow[] } = { owners: [], secrets: [] };
  #isOurs: boolean | undefined;

  constructor(sql: WriteSql, now: Date) {
    this.#sql = sql;
    this.#now = now;
  }

  async takePage({ table, rows }: TablePage): Promise<void> {
    const columns = Object.keys(tables[table as TableName]);
    const named = rows.map((cells) =>
      Object.fromEntries(columns.map((name, at) => [name, cells[at] as Cell])),
    );
    if (table === "owners" || table === "secrets") this.#known[table].push(...named);
    else if (await this.#prepare()) await this.#add(table as TableName, rows, named);
  }

  /** Whether the rows belonged here. */
  async finish(): Promise<boolean> {
    const isOurs = await this.#prepare();
    for (const { owner, next_seq } of isOurs ? this.#known.owners : [])
      if (owner !== PROGRAM_OWNER) await moveChanges(this.#sql, owner as number, 1, next_seq as number);
    return isOurs;
  }

  /** Ends the access that the backup has, before that of the other database is added. */
  async #prepare(): Promise<boolean> {
    if (this.#isOurs !== undefined) return this.#isOurs;
    this.#isOurs = await isSameOrigin(this.#sql, this.#known);
    if (this.#isOurs) {
      await revokeGrants(this.#sql, this.#now);
      for (const table of TAKEN) await this.#sql.run(`DELETE FROM ${table}`);
      await this.#sql.insert(
        "secrets",
        this.#known.secrets.map(({ owner, name, value }) => [owner, name, value] as Cell[]),
      );
    }
    return this.#isOurs;
  }

  async #add(table: TableName, rows: readonly (readonly Cell[])[], named: readonly SqlRow[]): Promise<void> {
    const key = REPLACED[table];
    if (key !== undefined)
      for (const row of named)
        await this.#sql.run(`DELETE FROM ${table} WHERE owner = $1 AND ${key} = $2`, [
          row.owner as number,
          row[key] as string,
        ]);
    await this.#sql.insert(
      table,
      rows.filter((_, at) => table !== "state" || named[at]?.kind !== IMPORT_STATE),
    );
    if (table === "exclusions")
      for (const { owner, rule_id } of named)
        await startTagging({ sql: this.#sql, owner: owner as number }, rule_id as string);
  }
}

async function listOwnerNumbers(sql: Sql): Promise<number[]> {
  const rows = await sql.all<{ owner: number }>(
    `SELECT owner FROM owners WHERE owner <> ${PROGRAM_OWNER} ORDER BY owner`,
  );
  return rows.map(({ owner }) => owner);
}

/** Whether both databases come from one: each has its own random secrets and owner ids, and a backup copies them. */
async function isSameOrigin(
  sql: Sql,
  { owners, secrets }: { readonly owners: readonly SqlRow[]; readonly secrets: readonly SqlRow[] },
): Promise<boolean> {
  const mine = await sql.all<{ owner: number; owner_id: string }>("SELECT owner, owner_id FROM owners");
  const known = await sql.all<{ owner: number; name: string; value: string }>(
    "SELECT owner, name, value FROM secrets",
  );
  return (
    mine.length > 1 &&
    mine.every(({ owner, owner_id }) =>
      owners.some((row) => row.owner === owner && row.owner_id === owner_id),
    ) &&
    known.every(({ owner, name, value }) =>
      secrets.some((row) => row.owner === owner && row.name === name && row.value === value),
    )
  );
}

async function revokeGrants(sql: WriteSql, now: Date): Promise<void> {
  await sql.run("UPDATE grants SET revoked_at = $1 WHERE revoked_at IS NULL", [now.toISOString()]);
}

/** Makes clients that follow changes start over: the numbers that they have seen mean other changes here. */
export async function moveChanges(sql: WriteSql, owner: number, by: number, seen = 0): Promise<void> {
  const [row] = await sql.all<{ next_seq: number }>("SELECT next_seq FROM owners WHERE owner = $1", [owner]);
  const next = Math.max(seen, row?.next_seq ?? 0) + by;
  // A client that lists everything now ends at the last number before the next one, and must be able to follow from there.
  await sql.run("UPDATE owners SET next_seq = $2, changes_floor = $3 WHERE owner = $1", [
    owner,
    next,
    next - 1,
  ]);
}

interface DeletedRow extends SqlRow {
  part: number;
  connection_id: string;
  stream: string;
  record_id: string;
}

/** Tombstones of records that have not come back. */
function readDeleted(sql: Sql, owner: number, after: readonly [number, string]): Promise<DeletedRow[]> {
  return sql.all<DeletedRow>(
    `SELECT DISTINCT c.part, p.connection_id, p.stream, c.record_id
     FROM changes c JOIN parts p ON p.owner = c.owner AND p.part = c.part
     WHERE c.owner = $1 AND p.masks IS NULL AND c.kind = ${ChangeKind.deleted} AND (c.part, c.record_id) > ($2, $3)
       AND NOT EXISTS (SELECT 1 FROM records r WHERE r.owner = c.owner AND r.part = c.part AND r.record_id = c.record_id)
     ORDER BY c.part, c.record_id LIMIT ${TOMBSTONES_PAGE}`,
    [owner, ...after],
  );
}

function groupByStream(rows: readonly DeletedRow[]): DeletedRecords[] {
  return [...Map.groupBy(rows, ({ part }) => part).values()].flatMap((own) =>
    own[0]
      ? [
          {
            connection_id: own[0].connection_id,
            stream: own[0].stream,
            record_ids: own.map(({ record_id }) => record_id),
          },
        ]
      : [],
  );
}
