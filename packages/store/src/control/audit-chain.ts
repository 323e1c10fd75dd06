/**
 * The chain of the audit log: each row has a hash over itself and the hash of the row before it, so that a changed or removed
 * row is detected. `audit_chains` keeps where an owner's chain starts (retention advances it) and ends.
 */
import { createHash } from "node:crypto";
import type { Sql, SqlRow, Value } from "../database.ts";
import { createTimedId } from "../rows/ids.ts";
import { type TableName, tables } from "../tables.ts";

/** The columns of an audit row without its key and its hash, in order. */
export const AUDIT_COLUMNS = Object.keys(tables["audit" satisfies TableName]).slice(2, -1);

/** A place in a chain: a row's id, and its hash. */
export interface ChainPlace {
  readonly id: number;
  readonly hash: string;
}

/** An owner's chain: the place before its first row, and its last row. */
export interface Chain {
  readonly start: ChainPlace;
  readonly end: ChainPlace;
}

/** Values of `AUDIT_COLUMNS`. */
export type AuditCells = readonly Value[];

/** Rows of the table `audit`, and the place of the last one. */
export interface LinkedRows {
  readonly rows: readonly Value[][];
  readonly end: ChainPlace;
}

/** Makes rows of the table `audit` that continue a chain after `end`: gives them rising ids, and hashes. */
export function linkRows(owner: number, end: ChainPlace, entries: readonly AuditCells[]): LinkedRows {
  let last = end;
  const rows = entries.map((entry) => {
    const cells = entry.map((cell) => (typeof cell === "string" ? cell.toWellFormed() : cell));
    const id = Math.max(last.id + 1, createTimedId());
    last = { id, hash: hashRow(last.hash, id, cells) };
    return [owner, id, ...cells, last.hash];
  });
  return { rows, end: last };
}

/** The hash of a row that follows one with the hash `before`. */
export function hashRow(before: string, id: number, cells: AuditCells): string {
  return createHash("sha256")
    .update(JSON.stringify([before, id, ...cells]))
    .digest("hex");
}

export interface ChainRow extends SqlRow {
  start_id: number;
  start_hash: string;
  end_id: number;
  end_hash: string;
}

export const READ_CHAIN = "SELECT start_id, start_hash, end_id, end_hash FROM audit_chains WHERE owner = $1";
/** A chain starts after the rows that older versions wrote without hashes. */
export const READ_LAST_ID = "SELECT max(audit_id) AS id FROM audit WHERE owner = $1";
export const MOVE_END = "UPDATE audit_chains SET end_id = $2, end_hash = $3 WHERE owner = $1";

/** An owner's chain; undefined before its first row. */
export async function readChain(sql: Sql, owner: number): Promise<Chain | undefined> {
  const [row] = await sql.all<ChainRow>(READ_CHAIN, [owner]);
  return row && toChain(row);
}

export function toChain({ start_id, start_hash, end_id, end_hash }: ChainRow): Chain {
  return { start: { id: start_id, hash: start_hash }, end: { id: end_id, hash: end_hash } };
}

/** The row of `audit_chains` for a chain that begins after `id`. */
export function startChain(owner: number, id: number): Value[] {
  return [owner, id, "", id, ""];
}
