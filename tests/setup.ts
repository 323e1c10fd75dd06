/** Runs once around the whole test run: one PostgreSQL for all files; each makes a database of its own on it. */
import { startPostgres, type TestServer } from "./postgres.ts";

let server: TestServer | undefined;

export async function globalSetup(): Promise<void> {
  server = await startPostgres();
  process.env.RUNGS_TEST_POSTGRES = server.url;
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
