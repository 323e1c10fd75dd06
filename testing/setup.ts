/**
 * Runs once around the whole test run: one PostgreSQL for all files, on which each creates its databases; one compile
 * cache, since every process reads the same sources; and a folder in memory for temporary files, where fsync costs nothing.
 */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { COMPILE_CACHE } from "./cli/program.ts";
import { startPostgres, type TestServer } from "./postgres.ts";

const MEMORY = "/dev/shm";
/** Test files need only a small part of this at any time. */
const FREE_BYTES = 4 * 2 ** 30;

let server: TestServer | undefined;
let temporary: string | undefined;

export async function globalSetup(): Promise<void> {
  server = await startPostgres();
  process.env.RUNGS_TEST_POSTGRES = server.url;
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE.NODE_COMPILE_CACHE;
  if (!hasMemoryFolder()) return;
  temporary = mkdtempSync(join(MEMORY, "rungs-test-"));
  // PostgreSQL may run as another user.
  chmodSync(temporary, 0o755);
  process.env.TMPDIR = temporary;
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
  if (temporary) rmSync(temporary, { recursive: true, force: true });
}

function hasMemoryFolder(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= FREE_BYTES;
  } catch {
    return false;
  }
}
