/** Databases that a soak run may break: a separate file, or a separate PostgreSQL server. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store, StoreOptions } from "@rungs/store";
import { openPostgres } from "@rungs/store/postgres";
import { openSqlite } from "@rungs/store/sqlite";
import { type OwnServer, startOwnPostgres } from "../testing/postgres.ts";

export type EngineName = "SQLite" | "PostgreSQL";

/** A database that does not exist yet, and how to open it. */
export interface Place {
  readonly engine: EngineName;
  /** The value for `--database`. */
  readonly address: string;
  /** A folder for other files. */
  readonly folder: string;
  /** The PostgreSQL server, if it has one. */
  readonly postgres?: OwnServer;
  open(options?: StoreOptions): Promise<Store>;
  remove(): Promise<void>;
}

/** Makes a place, by engine. */
export const places: Readonly<Record<EngineName, () => Promise<Place>>> = {
  SQLite: async () => createFilePlace(createFolder()),
  async PostgreSQL() {
    const folder = createFolder();
    const postgres = await startOwnPostgres();
    return {
      engine: "PostgreSQL",
      address: postgres.url,
      folder,
      postgres,
      open: (options) => openPostgres(postgres.url, options),
      async remove() {
        await postgres.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

/** A place for SQLite in a folder. */
export function createFilePlace(folder: string): Place {
  const address = join(folder, "rungs.db");
  return {
    engine: "SQLite",
    address,
    folder,
    open: (options) => openSqlite(address, options),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** An empty folder. */
export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rungs-soak-"));
  chmodSync(folder, 0o700);
  return folder;
}
