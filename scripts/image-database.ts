/** The PostgreSQL of compose.yaml, started from this machine's binaries with the settings of its service. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { describePostgres, findBinaries, findOtherUser } from "../testing/postgres.ts";

/** The settings that the postgres image reads. */
interface PostgresEnv {
  readonly POSTGRES_USER: string;
  readonly POSTGRES_PASSWORD: string;
  readonly POSTGRES_DB: string;
}

/** Starts a server that only its network can reach, with one user and one database. */
export async function startDatabase(folder: string, settings: PostgresEnv) {
  const { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: database } = settings;
  const env = { LC_ALL: "C", HOME: folder };
  const [bin, data, secret] = [findBinaries(), join(folder, "data"), join(folder, "password")];
  const { uid, gid } = findOtherUser();
  mkdirSync(folder);
  writeFileSync(secret, password);
  for (const path of [folder, secret]) chownSync(path, uid, gid);
  const rules = ["-U", user, `--pwfile=${secret}`, "-A", "scram-sha-256", "-E", "UTF8", "--no-sync"];
  execFileSync(join(bin, "initdb"), ["-D", data, ...rules], { uid, gid, cwd: folder, env, stdio: "pipe" });
  const as = `exec setpriv --reuid ${uid} --regid ${gid} --clear-groups "$@"`;
  const server = [join(bin, "postgres"), "-D", data, "-h", "127.0.0.1", "-k", folder];
  const program = spawn("unshare", ["--net", "sh", "-c", `ip link set lo up; ${as}`, "sh", ...server], {
    cwd: folder,
    stdio: "ignore",
  });
  const ended = once(program, "close");
  const query = async (name: string, statement: string) => {
    const client = new pg.Client({ host: folder, user, password, database: name });
    await client.connect();
    return client.query(statement).finally(() => client.end());
  };
  await untilReady(() => query("postgres", `CREATE DATABASE ${database}`));
  return {
    pid: program.pid ?? 0,
    version: describePostgres(),
    async countTables(): Promise<number> {
      const { rows } = await query(
        database,
        "SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'public'",
      );
      return rows[0].n;
    },
    async stop() {
      program.kill("SIGINT");
      await ended;
    },
  };
}

async function untilReady(ask: () => Promise<unknown>): Promise<void> {
  for (let left = 60; ; left -= 1) {
    try {
      await ask();
      return;
    } catch (error) {
      if (left === 0) throw error;
      await delay(250);
    }
  }
}
