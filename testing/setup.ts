/**
 * Runs once around the whole test run: one PostgreSQL for all files, on which each creates its databases, and one compile
 * cache, since every process reads the same sources.
 */
import { join } from "node:path";
import { startPostgres, type TestServer } from "./postgres.ts";

let server: TestServer | undefined;

export async function globalSetup(): Promise<void> {
  server = await startPostgres();
  process.env.RUNGS_TEST_POSTGRES = server.url;
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "../node_modules/.cache/rungs");
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
