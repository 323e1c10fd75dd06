import type { Store, Traffic } from "../store.ts";

/** Counts what `work` reads from the database. */
export async function measureTraffic(store: Store, work: () => Promise<unknown>): Promise<Traffic> {
  const before = { ...store.traffic };
  await work();
  const { statements, rows, bytes } = store.traffic;
  return {
    statements: statements - before.statements,
    rows: rows - before.rows,
    bytes: bytes - before.bytes,
  };
}
