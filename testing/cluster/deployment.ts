/** `deploy/compose` without containers: its scripts start PostgreSQL, its command lines start servers, and its proxy is in front of them. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { COMPILE_CACHE, MAIN } from "../cli/program.ts";
import { findBinaries, findOtherUser } from "../postgres.ts";
import { until } from "../until.ts";

const ROOT = join(import.meta.dirname, "../..");
const COMPOSE = join(ROOT, "deploy/compose");
const PASSWORDS = { POSTGRES_PASSWORD: "p1", RUNGS_DATABASE_PASSWORD: "p2", REPLICATION_PASSWORD: "p3" };
const PSQL = join(findBinaries(), "psql");

/** Imitates the PostgreSQL image: prepares an empty folder with its scripts, then runs the server. */
const ENTRYPOINT = `#!/bin/sh
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  echo "$POSTGRES_PASSWORD" > "$PGHOST/password"
  initdb --username=postgres --auth-host=scram-sha-256 --auth-local=trust --encoding=UTF8 --no-sync --pwfile="$PGHOST/password"
  pg_ctl -w -o "-c listen_addresses= -c unix_socket_directories=$PGHOST" start
  "$PGHOST/deploy/primary.sh"
  pg_ctl -w stop
fi
shift
exec postgres "$@" -c listen_addresses=127.0.0.1 -c port="$PORT" -c unix_socket_directories="$PGHOST" -c fsync=off
`;

const NAMES = ["db1", "db2", "http", "https", "rungs1", "rungs2"] as const;
type Database = "db1" | "db2";
type Server = "rungs1" | "rungs2";
type Ports = Readonly<Record<(typeof NAMES)[number], number>>;

/** Why it cannot run on this machine; false where it can. */
export function findMissing(): string | false {
  const missing = ["haproxy", PSQL].filter((name) => spawnSync(name, ["--version"]).error);
  return missing.length > 0 && `${missing.join(" and ")} is not installed`;
}

export class Deployment {
  /** The lines of the proxy's log. */
  readonly log: string[] = [];
  /** Removed when the deployment is closed. */
  readonly folder = mkdtempSync(join(tmpdir(), "rungs-deploy-"));
  readonly #running = new Map<string, ChildProcess>();
  readonly #services = parse(readFileSync(join(COMPOSE, "compose.yaml"), "utf8"), { merge: true }).services;
  readonly #ports: Ports;
  /** How long servers drain; longer in production. */
  readonly #drain_seconds: number;

  private constructor(ports: Ports, drain_seconds: number) {
    this.#ports = ports;
    this.#drain_seconds = drain_seconds;
    chmodSync(this.folder, 0o755);
  }

  /** Starts everything. */
  static async start({ drain_seconds }: { readonly drain_seconds: number }): Promise<Deployment> {
    const deployment = new Deployment(await findPorts(), drain_seconds);
    try {
      deployment.#startDatabase("db1", "");
      deployment.#startDatabase("db2", "db1");
      const state = "SELECT sync_state FROM pg_stat_replication";
      await until(async () => (await deployment.psql("db1", state)) === "quorum");
      await Promise.all([deployment.startServer("rungs1"), deployment.startServer("rungs2")]);
      await deployment.#startProxy();
      return deployment;
    } catch (error) {
      await deployment.close();
      throw error;
    }
  }

  /** The address that clients know. */
  get url(): string {
    return `https://localhost:${this.#ports.https}`;
  }

  /** The same without TLS. */
  get plain_url(): string {
    return `http://localhost:${this.#ports.http}`;
  }

  /** The servers' value of `--database`. */
  get database(): string {
    return this.#fill(this.#services.rungs1.environment.RUNGS_DATABASE);
  }

  /** Runs the command of a server's service; resolves once it listens. */
  async startServer(name: Server): Promise<void> {
    const { command, environment } = this.#services[name];
    const argv = (command as string[]).map((word) =>
      this.#fill(word)
        .replace("--host=0.0.0.0", "--host=127.0.0.1")
        .replace(/--drain=\d+/, `--drain=${this.#drain_seconds}`),
    );
    const settings = Object.entries<string>(environment).map(([key, value]) => [key, this.#fill(value)]);
    // Without its launcher, so that a kill hits the server.
    const child = spawn(
      process.execPath,
      ["--conditions=rungs-source", MAIN, ...argv, `--port=${this.#ports[name]}`, "--json"],
      {
        env: {
          ...Object.fromEntries(settings),
          ...COMPILE_CACHE,
          PATH: process.env.PATH,
          TMPDIR: this.folder,
          RUNGS_HOME: join(this.folder, name),
        },
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    this.#running.set(name, child);
    const [line] = await once(child.stdout as NodeJS.ReadableStream, "data");
    assert.ok(JSON.parse(String(line)).console_url.startsWith(`${this.url}/`));
  }

  /** Stops a part; returns its exit code. */
  async end(name: Server | Database | "proxy", signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#running.get(name);
    this.#running.delete(name);
    if (!child || child.exitCode !== null) return child?.exitCode ?? null;
    const exited = once(child, "exit");
    child.kill(signal);
    return (await exited)[0];
  }

  /** Queries a database as its local administrator; undefined while it does not answer. */
  async psql(name: Database, ...statements: string[]): Promise<string | undefined> {
    const env = { ...process.env, PGHOST: join(this.folder, name), PGPORT: String(this.#ports[name]) };
    const commands = statements.flatMap((statement) => ["-c", statement]);
    const child = spawn(PSQL, ["-XAtq", "-U", "postgres", ...commands], {
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    const [code] = await once(child, "close");
    return code === 0 ? out.trim() : undefined;
  }

  async close(): Promise<void> {
    for (const name of ["proxy", "rungs1", "rungs2", "db2", "db1"] as const) await this.end(name, "SIGKILL");
    // The children of a killed PostgreSQL exit by themselves, and may write until then.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }

  /** Runs `database.sh` as its service does, with a separate folder for each. */
  #startDatabase(name: Database, follows: "" | Database): void {
    const place = join(this.folder, name);
    cpSync(COMPOSE, join(place, "deploy"), { recursive: true });
    writeFileSync(join(place, "docker-entrypoint.sh"), ENTRYPOINT, { mode: 0o755 });
    const user = process.getuid?.() === 0 ? findOtherUser() : undefined;
    if (user) chownSync(place, user.uid, user.gid);
    const env = {
      ...PASSWORDS,
      PATH: `${place}:${findBinaries()}:${process.env.PATH}`,
      NAME: name,
      // Here the databases share one address, and differ by port.
      FOLLOWS: follows && "127.0.0.1",
      PGPORT: String(this.#ports[follows || name]),
      PORT: String(this.#ports[name]),
      PGHOST: place,
      PGDATA: join(place, "data"),
    };
    const [shell = "", script = ""] = this.#services[name].entrypoint;
    const argv = [script.replace(/^\/deploy/, join(place, "deploy"))];
    this.#running.set(name, spawn(shell, argv, { ...user, cwd: place, env, stdio: "ignore" }));
  }

  /** Runs the proxy; resolves once it listens. */
  async #startProxy(): Promise<void> {
    const env = {
      PATH: process.env.PATH,
      HTTP_ADDRESS: `127.0.0.1:${this.#ports.http}`,
      HTTPS_ADDRESS: `127.0.0.1:${this.#ports.https}`,
      CERTIFICATE: join(ROOT, "testing/tls/good.pem"),
      RUNGS_1: `127.0.0.1:${this.#ports.rungs1}`,
      RUNGS_2: `127.0.0.1:${this.#ports.rungs2}`,
    };
    const child = spawn("haproxy", ["-db", "-f", join(COMPOSE, "haproxy.cfg")], {
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    child.stdout.on("data", (chunk) => this.log.push(...String(chunk).trimEnd().split("\n")));
    this.#running.set("proxy", child);
    const ports = [this.#ports.http, this.#ports.https];
    await until(async () => {
      assert.equal(child.exitCode, null, "the proxy ended");
      return (await Promise.all(ports.map(isListening))).every(Boolean);
    });
  }

  /** Substitutes this deployment's variables and addresses in a text of the compose file. */
  #fill(text: string): string {
    const variables: Readonly<Record<string, string>> = {
      ...PASSWORDS,
      RUNGS_SOURCES_KEY: Buffer.alloc(32, 1).toString("base64"),
      RUNGS_NAME: new URL(this.url).host,
    };
    return text
      .replace(/\$\{(\w+)[^}]*\}/g, (_, name: string) => variables[name] ?? "")
      .replace(/\bdb[12]\b/g, (name) => `127.0.0.1:${this.#ports[name as Database]}`);
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}

async function findPorts(): Promise<Ports> {
  const held = NAMES.map(() => createServer().listen(0, "127.0.0.1"));
  await Promise.all(held.map((server) => once(server, "listening")));
  const found = held.map((server, at) => [NAMES[at], (server.address() as AddressInfo).port]);
  for (const server of held) server.close();
  return Object.fromEntries(found);
}
