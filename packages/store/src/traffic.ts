import type { SqlRow } from "./database.ts";
import type { Traffic } from "./store.ts";

/** Counts the rows and bytes that a statement read from the database. */
export function countRows(traffic: Traffic, rows: readonly SqlRow[]): void {
  traffic.statements += 1;
  traffic.rows += rows.length;
  for (const row of rows) {
    for (const column in row) {
      const value = row[column];
      if (typeof value === "string" || value instanceof Uint8Array) traffic.bytes += value.length;
      else if (typeof value === "number") traffic.bytes += 8;
    }
  }
}
