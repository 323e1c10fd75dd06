import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@rungs/store";
import { openPostgres } from "@rungs/store/postgres";
import { openSqlite } from "@rungs/store/sqlite";
import { createTestDatabase } from "../postgres.ts";

/** A real database of the test's own. */
export interface TestStore {
  readonly store: Store;
  close(): Promise<void>;
}

/** The engines that every test of the HTTP suite runs on. */
export const engines: Readonly<Record<string, () => Promise<TestStore>>> = {
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), "rungs-http-"));
    const store = await openSqlite(join(folder, "rungs.db"));
    return {
      store,
      async close() {
        await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
  async postgres() {
    const database = await createTestDatabase();
    const store = await openPostgres(database.url);
    return {
      store,
      async close() {
        await store.close();
        await database.drop();
      },
    };
  },
};
