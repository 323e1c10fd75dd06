/** Copies all rows to another store, in a form that does not depend on the engine. */
import assert from "node:assert/strict";
import { createHash, type Hash } from "node:crypto";
import { ApiError } from "@rungs/contract";
import {
  BODY_TABLES,
  type Database,
  type Dialect,
  EVERYONE,
  type RowKey,
  type Sql,
  type SqlRow,
} from "../database.ts";
import { PROGRAM_OWNER, primaryKeys } from "../schema.ts";
import type { Cell, Store, TableDigest, TablePage } from "../store.ts";
import { type TableName, tables } from "../tables.ts";

const PAGE_ROWS = 1_000;
/** Tables with long rows: a page stays within a few megabytes. */
const WIDE_PAGE_ROWS: Partial<Record<TableName, number>> = {
  records: 128,
  chunks: 256,
  blocks: 256,
  vectors: 256,
  blob_chunks: 8,
};
const tableNames = Object.keys(tables) as TableName[];

export function createCopy(database: Database) {
  return {
    async dump(take, only = tableNames) {
      await database.flushAuditJournal();
      await database.read(EVERYONE, (sql) => dumpTables(sql, take, only));
    },
    async load(source, watch = () => undefined) {
      const digests = await database.write(EVERYONE, async (sql) => {
        await requireEmpty(sql);
        await sql.run("DELETE FROM owners");
        const sent = createTableDigests();
        await source.dump(async (page) => {
          watch({ phase: "copy", table: page.table, row_count: sent.add(page) });
          await sql.insert(page.table as TableName, page.rows.map(toEngine(sql.dialect, page.table)));
        });
        const kept = createTableDigests();
        await dumpTables(sql, async (page) => {
          watch({ phase: "check", table: page.table, row_count: kept.add(page) });
        });
        const digests = kept.list();
        assert.deepEqual(digests, sent.list(), "A table does not read back as it was written.");
        return digests;
      });
      await database.analyze();
      return digests;
    },
  } satisfies Partial<Store>;
}

/** The digest of each table that has rows. */
export async function digestTables(sql: Sql): Promise<TableDigest[]> {
  const digests = createTableDigests();
  await dumpTables(sql, async (page) => void digests.add(page));
  return digests.list();
}

async function dumpTables(
  sql: Sql,
  take: (page: TablePage) => Promise<void>,
  only: readonly string[] = tableNames,
): Promise<void> {
  for (const table of tableNames) {
    if (!only.includes(table)) continue;
    const toCells = fromEngine(sql.dialect, table);
    for await (const rows of readPages(sql, table)) await take({ table, rows: rows.map(toCells) });
  }
}

/** Reads a table in key order, a page at a time. */
async function* readPages(sql: Sql, table: TableName): AsyncGenerator<SqlRow[]> {
  const key = primaryKeys[table].split(", ");
  const limit = WIDE_PAGE_ROWS[table] ?? PAGE_ROWS;
  const placeholders = key.map((_, at) => `$${at + 1}`).join(", ");
  const select = `SELECT ${Object.keys(tables[table]).join(", ")} FROM ${table}`;
  const order = `ORDER BY ${key.join(", ")} LIMIT ${limit}`;
  let last: SqlRow | undefined;
  do {
    const where = last ? `WHERE (${key.join(", ")}) > (${placeholders})` : "";
    const after = last ? key.map((column) => last?.[column] as Cell) : [];
    const rows = await sql.all(`${select} ${where} ${order}`, after);
    if (rows.length > 0) yield rows;
    last = rows.length === limit ? rows.at(-1) : undefined;
  } while (last);
}

/** The engines store only bodies differently (`openBody`, `packChunk`). */
function fromEngine(dialect: Dialect, table: TableName): (row: SqlRow) => Cell[] {
  const columns = Object.keys(tables[table]);
  const bodyTable = BODY_TABLES.find((each) => each === table);
  if (bodyTable === undefined) return (row) => columns.map((column) => row[column] as Cell);
  const key = primaryKeys[bodyTable].split(", ");
  const body = columns.indexOf("body");
  return (row) => {
    const place = key.map((column) => row[column]) as unknown as RowKey;
    const open = dialect.openBody(bodyTable, place, row.body as Uint8Array);
    const cells = columns.map((column) => row[column] as Cell);
    return cells.with(body, bodyTable === "chunks" ? dialect.unpackChunk(open) : open);
  };
}

function toEngine(dialect: Dialect, table: string): (cells: readonly Cell[]) => readonly Cell[] {
  if (table !== "chunks") return (cells) => cells;
  const body = Object.keys(tables.chunks).indexOf("body");
  return (cells) => cells.with(body, dialect.packChunk(cells[body] as Uint8Array));
}

async function requireEmpty(sql: Sql): Promise<void> {
  for (const table of tableNames) {
    const own = table === "owners" ? ` WHERE owner <> ${PROGRAM_OWNER}` : "";
    const found = await sql.all(`SELECT 1 AS found FROM ${table}${own} LIMIT 1`);
    if (found.length > 0) throw new ApiError("database_not_empty");
  }
}

/** Digests tables page by page: equal digests mean equal rows in equal order, on either engine. */
function createTableDigests() {
  const sums = new Map<string, { hash: Hash; row_count: number }>();
  return {
    /** Adds a page; returns the number of rows of its table so far. */
    add({ table, rows }: TablePage): number {
      const sum = sums.get(table) ?? { hash: createHash("sha256"), row_count: 0 };
      for (const row of rows) for (const cell of row) hashCell(sum.hash, cell);
      sum.row_count += rows.length;
      sums.set(table, sum);
      return sum.row_count;
    },
    /** The digests of the tables that had rows. Call once, at the end. */
    list(): TableDigest[] {
      return [...sums].map(([table, { hash, row_count }]) => ({
        table,
        row_count,
        sha256: hash.digest("hex"),
      }));
    },
  };
}

/** Each cell starts with its kind and length, so that different rows never hash the same bytes. */
function hashCell(hash: Hash, cell: Cell): void {
  if (cell === null) hash.update("-");
  // SQLite does not store the sign of zero.
  else if (typeof cell === "number") hash.update(`n${cell === 0 ? 0 : cell};`);
  else if (typeof cell === "string") hash.update(`t${Buffer.byteLength(cell)}:`).update(cell);
  else hash.update(`b${cell.length}:`).update(cell);
}
