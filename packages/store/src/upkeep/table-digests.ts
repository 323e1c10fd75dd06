import { createHash, type Hash } from "node:crypto";
import type { Cell, TableDigest, TablePage } from "../store.ts";

/** Sums tables up while their pages come by: equal digests mean equal rows in equal order, on whichever engine. */
export function createTableDigests() {
  const sums = new Map<string, { hash: Hash; row_count: number }>();
  return {
    /** Takes a page in, and gives how many rows of its table there were so far. */
    add({ table, rows }: TablePage): number {
      const sum = sums.get(table) ?? { hash: createHash("sha256"), row_count: 0 };
      for (const row of rows) for (const cell of row) hashCell(sum.hash, cell);
      sum.row_count += rows.length;
      sums.set(table, sum);
      return sum.row_count;
    },
    /** What the tables that had rows came to; asked once, at the end. */
    list(): TableDigest[] {
      return [...sums].map(([table, { hash, row_count }]) => ({
        table,
        row_count,
        sha256: hash.digest("hex"),
      }));
    },
  };
}

/** Each cell says its kind and length first, so that no two rows read alike. */
function hashCell(hash: Hash, cell: Cell): void {
  if (cell === null) hash.update("-");
  // SQLite keeps no sign on a zero.
  else if (typeof cell === "number") hash.update(`n${cell === 0 ? 0 : cell};`);
  else if (typeof cell === "string") hash.update(`t${Buffer.byteLength(cell)}:`).update(cell);
  else hash.update(`b${cell.length}:`).update(cell);
}
