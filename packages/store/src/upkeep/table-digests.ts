import { createHash, type Hash } from "node:crypto";
import type { Cell, TableDigest, TablePage } from "../store.ts";

/** Digests tables page by page: equal digests mean equal rows in equal order, on either engine. */
export function createTableDigests() {
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
