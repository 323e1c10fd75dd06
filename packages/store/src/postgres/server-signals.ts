/** Signals between the servers of a database, by LISTEN and NOTIFY. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { Signals } from "../database.ts";
import { createPool, type ServerPool } from "./pool.ts";
import type { ServerList } from "./server-list.ts";

const CHANNEL = "rungs";
const TELL = `SELECT pg_notify('${CHANNEL}', topic) FROM unnest($1::text[]) AS topic`;
/**
 * Batches signals for this long, and sends them after their transactions: PostgreSQL serializes commits that notify.
 */
const SEND_MS = 50;
/** How long to wait before reopening a lost connection. */
const AGAIN_MS = 1_000;

/**
 * Signals that also reach the other servers. The first listener opens a dedicated connection; while it is lost, only
 * this server's signals arrive.
 */
export class ServerSignals extends Signals {
  readonly #servers: ServerList;
  readonly #teller: ServerPool;
  /** Marks the signals of this server, which its own listeners already have. */
  readonly #name = randomUUID();
  readonly #pending = new Set<string>();
  #sending: NodeJS.Timeout | undefined;
  /** Closes the listening connection, or the one being opened. */
  #lose: (() => void) | undefined;
  #again: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(servers: ServerList, teller: ServerPool) {
    super();
    this.#servers = servers;
    this.#teller = teller;
  }

  override tell(topic: string): void {
    super.tell(topic);
    this.#pending.add(`${this.#name} ${topic}`);
    this.#sending ??= setTimeout(() => void this.#send(), SEND_MS).unref();
  }

  override listen(topic: string, wake: () => void): () => void {
    if (!this.#lose && !this.#again) void this.#hear();
    return super.listen(topic, wake);
  }

  /** Flushes pending signals, and stops listening. */
  override async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#sending);
    clearTimeout(this.#again);
    await this.#send();
    this.#lose?.();
  }

  async #send(): Promise<void> {
    this.#sending = undefined;
    if (this.#pending.size === 0) return;
    const topics = [...this.#pending];
    this.#pending.clear();
    // Best effort: waiters also poll.
    await this.#teller.query({ text: TELL, values: [topics] }).catch(() => undefined);
  }

  async #hear(): Promise<void> {
    this.#again = undefined;
    if (this.#isClosed) return;
    const pool = createPool(this.#servers, { max: 1 });
    let client: pg.PoolClient | undefined;
    const lose = () => {
      if (this.#lose !== lose) return;
      this.#lose = undefined;
      client?.release(true);
      void pool.end().catch(() => undefined);
      if (!this.#isClosed) this.#again = setTimeout(() => void this.#hear(), AGAIN_MS).unref();
    };
    this.#lose = lose;
    try {
      client = await pool.connectAny();
      // Closed meanwhile.
      if (this.#lose !== lose) return client.release(true);
      client.once("error", lose);
      client.once("end", lose);
      client.on("notification", ({ payload = "" }) => {
        const [server, ...topic] = payload.split(" ");
        if (server !== this.#name) super.tell(topic.join(" "));
      });
      await client.query(`LISTEN ${CHANNEL}`);
    } catch {
      lose();
    }
  }
}
