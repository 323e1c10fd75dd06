/** The stored form of rows on PostgreSQL: chunks are deflated, and bodies may be sealed. */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { BODY_TABLES, type BodyTable, type Dialect, type RowKey, type Value } from "../database.ts";
import { primaryKeys } from "../schema.ts";
import { type TableName, tables } from "../tables.ts";
import type { Seal } from "./seal.ts";

const plain: Dialect = {
  kind: "postgres",
  isAnyText: (column, parameter) => `${column} = ANY (${parameter}::text[])`,
  isAnyNumber: (column, parameter) => `${column} = ANY (${parameter}::bigint[])`,
  isAnyBytes: (column, parameter) => `${column} = ANY (${parameter}::bytea[])`,
  numbersOf: (parameter, alias) => `unnest(${parameter}::bigint[]) AS ${alias} (value)`,
  toText: (column) => `convert_from(${column}, 'UTF8')`,
  toBytes: (column) => `convert_to(${column}, 'UTF8')`,
  isListed: (column, list) => `${list}::jsonb ? ${column}`,
  passOver: (column) => column,
  useIndex: () => "",
  sharesText: (column, parameter) => `${column}::jsonb ?| ${parameter}::text[]`,
  packChunk: (utf8) => deflateRawSync(utf8, { level: 1 }),
  unpackChunk: (body) => inflateRawSync(body),
  openBody: (_table, _key, body) => body,
  bodyBytes: (column) => `length(${column})`,
};

/** How a connection transforms rows. */
export interface RowForm {
  readonly dialect: Dialect;
  /** Rows as they are stored. */
  close(table: TableName, rows: readonly (readonly Value[])[]): readonly (readonly Value[])[];
}

/** Rows as they are, or with their bodies sealed. */
export function createRowForm(seal?: Seal): RowForm {
  if (!seal) return { dialect: plain, close: (_table, rows) => rows };
  const dialect: Dialect = {
    ...plain,
    openBody: (table, key, body) => seal.open(table, key, body),
    bodyBytes: (column) => seal.bodyBytes(column),
  };
  return {
    dialect,
    close(table, rows) {
      if (!isBodyTable(table)) return rows;
      const columns = Object.keys(tables[table]);
      const body = columns.indexOf("body");
      const key = primaryKeys[table].split(", ").map((column) => columns.indexOf(column));
      return rows.map((row) =>
        row.with(
          body,
          seal.close(table, key.map((at) => row[at]) as unknown as RowKey, row[body] as Uint8Array),
        ),
      );
    },
  };
}

function isBodyTable(table: TableName): table is BodyTable {
  return (BODY_TABLES as readonly TableName[]).includes(table);
}
