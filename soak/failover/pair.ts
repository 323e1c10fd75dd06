/** Two PostgreSQL servers, a primary and its synchronous replica, with the failover that Patroni does in production. */
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { startProxy, type TcpProxy } from "../../testing/network/tcp-proxy.ts";
import { type OwnServer, startOwnPostgres, startReplica } from "../../testing/postgres.ts";
import { until } from "../../testing/until.ts";

/** Enough WAL for a replica that was away, and a replica that applies commits later than they are acknowledged. */
const SETTINGS = "-c wal_keep_size=512MB -c max_wal_size=256MB -c recovery_min_apply_delay=60ms";
/** The time for every process of a server to reload its settings. */
const RELOAD_MS = 300;
const NOWHERE = "/nonexistent/.s.PGSQL.5432";

/** The slots of the two servers: a recreated server keeps its address. */
type Slot = 0 | 1;

/** One program's connections to both servers, which can fail independently of others'. */
export interface Link {
  /** The value for `--database`. */
  readonly address: string;
  readonly proxies: readonly [TcpProxy, TcpProxy];
}

export class Pair {
  readonly #servers: (OwnServer | undefined)[] = [];
  readonly #links: Link[] = [];
  #primary: Slot = 0;

  static async start(): Promise<Pair> {
    const pair = new Pair();
    pair.#servers[0] = await startOwnPostgres({ settings: SETTINGS });
    await pair.#addReplica();
    return pair;
  }

  get primary(): OwnServer {
    return this.#servers[this.#primary] as OwnServer;
  }

  /** The addresses of both servers for a program, each through a proxy. */
  async link(): Promise<Link> {
    const proxies = [await this.#openProxy(0), await this.#openProxy(1)] as const;
    const hosts = proxies.map(({ port }) => `127.0.0.1:${port}`).join(",");
    const link = { address: `postgres://rungs@${hosts}/postgres?target_session_attrs=read-write`, proxies };
    this.#links.push(link);
    return link;
  }

  /** Kills the primary, promotes the replica, and creates a new replica in place of the former primary. */
  async failOver(): Promise<void> {
    const former = this.primary;
    await former.kill();
    this.#primary = this.#other;
    await this.primary.promote();
    await this.#wait(false);
    this.#servers[this.#other] = undefined;
    await former.stop();
    await this.#addReplica();
  }

  /** Kills the replica and starts it again. Commits do not wait for it meanwhile. */
  async loseReplica(): Promise<void> {
    const replica = this.#servers[this.#other] as OwnServer;
    await replica.kill();
    await this.#wait(false);
    await replica.restart();
    await this.#requireReplica();
  }

  async stop(): Promise<void> {
    for (const { proxies } of this.#links) for (const proxy of proxies) await proxy.close();
    for (const server of this.#servers) await server?.stop();
  }

  get #other(): Slot {
    return this.#primary === 0 ? 1 : 0;
  }

  #openProxy(slot: Slot): Promise<TcpProxy> {
    return startProxy(() => this.#servers[slot]?.socket ?? NOWHERE);
  }

  async #addReplica(): Promise<void> {
    this.#servers[this.#other] = await startReplica(this.primary, SETTINGS);
    await this.#requireReplica();
  }

  /** Waits until the replica has caught up and commits wait for it: from then on, losing the primary is safe. */
  async #requireReplica(): Promise<void> {
    await until(async () => (await this.#count("state = 'streaming'")) === 1);
    await this.#wait(true);
    const position = await this.#ask("SELECT pg_current_wal_flush_lsn() AS answer");
    await until(async () => (await this.#count(`sync_state = 'sync' AND flush_lsn >= '${position}'`)) === 1);
  }

  /** Makes commits wait for the replica, or not. */
  async #wait(isOn: boolean): Promise<void> {
    await this.#ask(`ALTER SYSTEM SET synchronous_standby_names = '${isOn ? "*" : ""}'`);
    await this.#ask("SELECT pg_reload_conf() AS answer");
    await delay(RELOAD_MS);
  }

  async #count(condition: string): Promise<number> {
    return Number(await this.#ask(`SELECT count(*) AS answer FROM pg_stat_replication WHERE ${condition}`));
  }

  async #ask(statement: string): Promise<unknown> {
    const client = new pg.Client(this.primary.url);
    await client.connect();
    try {
      return (await client.query(statement)).rows[0]?.answer;
    } finally {
      await client.end();
    }
  }
}
