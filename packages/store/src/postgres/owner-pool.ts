import type pg from "pg";
import type { Traffic } from "../store.ts";
import type { ServerPool } from "./pool.ts";
import { findable, PostgresSql } from "./postgres-sql.ts";

/** The setting that policies compare with the owner of a row; empty on a new connection, which sees no rows. */
const SEE_OWNER = "SELECT set_config('rungs.owner', $1, false)";
/** Under the role, nobody can list tokens or owners: these functions find one, for callers that know its digest or id. */
const SEE_OWNER_OF_TOKEN =
  "SELECT set_config('rungs.owner', coalesce(rungs_owner_of_token($1)::text, ''), false)";
/** `read_only_sql_transaction` */
const READ_ONLY = "25006";
const FIND_OWNER = "SELECT rungs_find_owner($1) AS owner";

/**
 * A pool whose connections see the rows of one owner at a time (`server-role.ts`). The setting is sent ahead of the first statement
 * for another owner, without waiting for its answer, so that it costs no round trip.
 */
export class OwnerPool {
  readonly #pool: ServerPool;
  readonly #traffic: Traffic;
  readonly #names = new Map<string, string>();
  /** The owner whose rows a connection sees; absent when unknown. */
  readonly #seen = new WeakMap<pg.PoolClient, number>();

  constructor(pool: ServerPool, traffic: Traffic) {
    this.#pool = pool;
    this.#traffic = traffic;
  }

  /** Runs `work` on a connection that sees the rows of `owner`. */
  use<T>(owner: number, work: (sql: PostgresSql, client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.#withSql(async (sql, client) => {
      if (this.#seen.get(client) !== owner) sql.send(SEE_OWNER, [String(owner)]);
      this.#seen.set(client, owner);
      return work(sql, client);
    });
  }

  /** The same for the owner of a token. */
  useByToken<T>(digest: string, work: (sql: PostgresSql) => Promise<T>): Promise<T> {
    return this.#withSql(async (sql, client) => {
      this.#seen.delete(client);
      sql.send(SEE_OWNER_OF_TOKEN, [findable(digest)]);
      return work(sql);
    });
  }

  async findOwner(owner_id: string): Promise<number | undefined> {
    const [row] = await this.#withSql((sql) => sql.all<{ owner: number | null }>(FIND_OWNER, [owner_id]));
    return row?.owner ?? undefined;
  }

  /** Runs `work` on a connection as it is: for upkeep, under a role that sees all rows. */
  useForAll<T>(work: (sql: PostgresSql) => Promise<T>): Promise<T> {
    return this.#withSql(work);
  }

  query(statement: string): Promise<unknown> {
    return this.#pool.query(statement);
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  async #withSql<T>(work: (sql: PostgresSql, client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connectAny();
    const sql = new PostgresSql(client, this.#traffic, this.#names);
    try {
      const result = await work(sql, client);
      // Also when only the setting failed: the connection would still see another owner's rows.
      sql.requireSuccess();
      return result;
    } catch (error) {
      this.#seen.delete(client);
      // A server that became read-only has a successor, or will be writable again: in both cases, connect anew.
      if ((error as { code?: unknown }).code === READ_ONLY) sql.lost ??= error as Error;
      throw error;
    } finally {
      client.release(sql.lost);
    }
  }
}
