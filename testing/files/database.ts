import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The bytes of a SQLite database that `fill` wrote. */
export function makeDatabase(fill: (database: DatabaseSync) => void): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "rungs-test-"));
  try {
    const path = join(folder, "made.db");
    const database = new DatabaseSync(path);
    fill(database);
    database.close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
