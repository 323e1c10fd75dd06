import { ApiError } from "@rungs/contract";
import pg from "pg";
import { EVERYONE, type Value, type Whose } from "../database.ts";
import { describeStatement, type SlowWatch } from "../slow-queries.ts";
import type { Traffic } from "../store.ts";
import { LaneQueue } from "../workers/lane-queue.ts";
import { explain } from "./explain.ts";
import type { ServerPool } from "./pool.ts";
import { findable, PostgresSql, type StatementWatch } from "./postgres-sql.ts";
import { createRowForm, type RowForm } from "./row-form.ts";
import { SEAL_CONSTRAINT, type Seal } from "./seal.ts";

/** Under the role, nobody can list tokens or owners: these functions find one, for callers that know its digest or id. */
const SEE_OWNER_OF_TOKEN =
  "SELECT set_config('rungs.owner', coalesce(rungs_owner_of_token($1)::text, ''), true)";
const FIND_OWNER = "SELECT rungs_find_owner($1) AS owner";
const READ = "BEGIN READ ONLY";
/** The first words of statements that have a plan; EXPLAIN is not among them. */
const PLANNED = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/;
/** How many plans may queue; further slow statements are reported without one. */
const EXPLAINING_MAX = 16;
/** Writes of one owner wait for each other in the database. At most this many hold a connection meanwhile, since other owners need connections too. */
const WRITES_OF_OWNER = 2;
/** `read_only_sql_transaction` */
const READ_ONLY = "25006";

/** Whose rows a transaction sees: those of an owner, or of the owner of a token. */
type Sight = Whose | { readonly token_digest: string };

/** Settings for each transaction of a pool. */
export interface TransactionSettings {
  /** The role to work under; by default that of the URL. */
  readonly role?: string | undefined;
  readonly synchronous_commit?: "off";
  readonly statement_timeout?: number;
  /** For transactions that never pause: a server that stops in the middle of one must not hold its locks forever. */
  readonly idle_in_transaction_session_timeout?: number;
}

export interface OwnerPoolOptions extends TransactionSettings {
  /** Receives slow statements. */
  readonly slow?: SlowWatch | undefined;
  /** Seals and opens long rows. */
  readonly seal?: Seal | undefined;
}

interface ObserveOptions {
  /** How the transaction begins; by default each statement sees what is committed when it starts. */
  readonly begin?: string | undefined;
  /** Runs before the transaction, on the same connection: inside, a snapshot would keep showing the initial state. */
  readonly before?: (client: pg.PoolClient, observe: Observe) => Promise<void>;
  /** Sends guard statements, whose failure makes the reads fail with them. */
  readonly guard?: (sql: PostgresSql) => void;
}

/** The error for a database that refuses rows in this program's form. */
const createOutdated = () =>
  new ApiError("key_missing", {
    message:
      "The long rows of the database were sealed, opened or given another key after this program opened it.",
    next: "Start it again, with the key if there is one.",
  });

/** Runs reads on a connection that is in use, in one transaction. */
export type Observe = (work: (sql: PostgresSql) => Promise<void>) => Promise<void>;

/**
 * A pool whose transactions see the rows of one owner (`server-role.ts`). Everything that must hold is set in each transaction and ends with it, so that
 * a connection carries nothing over to its next user, even if a pooler gives it to another program (PgBouncer's transaction mode). The
 * statements around a transaction's work are sent without waiting for their answers: they cost no round trip.
 */
export class OwnerPool {
  readonly #pool: ServerPool;
  readonly #traffic: Traffic;
  readonly #settings: string;
  readonly #names = new Map<string, string>();
  readonly #slow: SlowWatch | undefined;
  readonly #writes: LaneQueue<() => void>;
  #writing = 0;
  readonly #form: RowForm;
  #explaining = 0;
  #explained: Promise<unknown> = Promise.resolve();

  constructor(pool: ServerPool, traffic: Traffic, { slow, seal, ...settings }: OwnerPoolOptions = {}) {
    this.#slow = slow;
    this.#form = createRowForm(seal);
    this.#pool = pool;
    this.#traffic = traffic;
    this.#writes = new LaneQueue(Math.min(WRITES_OF_OWNER, this.#writesMax));
    // Joins in the written order, as SQLite does for CROSS JOIN: new tables have no statistics to plan by.
    this.#settings = Object.entries({ ...settings, join_collapse_limit: 1 })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `SET LOCAL ${name} = ${pg.escapeLiteral(`${value}`)}`)
      .join("; ");
  }

  /** Runs reads in one transaction. */
  async observe<T>(
    sight: Sight,
    work: (sql: PostgresSql) => Promise<T>,
    { begin = READ, before, guard }: ObserveOptions = {},
  ): Promise<T> {
    return this.#withSql(sight, async (sql, client) => {
      await before?.(client, (check) => this.#observe(sql, READ, sight, check));
      return this.#observe(sql, begin, sight, (own) => {
        guard?.(own);
        return work(own);
      });
    });
  }

  /** Runs writes in one transaction, and returns when it is committed. An error rolls it back. */
  async change<T>(sight: Whose, work: (sql: PostgresSql) => Promise<T>): Promise<T> {
    return this.#inTurn(sight, () =>
      this.#withSql(sight, async (sql) => {
        try {
          this.#begin(sql, "BEGIN", sight);
          const result = await work(sql);
          // After a failed statement, COMMIT rolls back.
          sql.send("COMMIT");
          await sql.flush();
          return result;
        } catch (error) {
          await sql.rollBack();
          throw error;
        }
      }),
    );
  }

  /** One connection is left to reads, if there are several. */
  get #writesMax(): number {
    return Math.max(1, this.#pool.options.max - 1);
  }

  /** Waits for a turn: at most `WRITES_OF_OWNER` writes of one owner run at once, and owners take turns. */
  async #inTurn<T>(whose: Whose, write: () => Promise<T>): Promise<T> {
    const lane = String(whose);
    await new Promise<void>((begin) => {
      this.#writes.add(lane, begin);
      this.#beginWrites();
    });
    try {
      return await write();
    } finally {
      this.#writing -= 1;
      this.#writes.finish(lane);
      this.#beginWrites();
    }
  }

  #beginWrites(): void {
    while (this.#writing < this.#writesMax) {
      const next = this.#writes.take();
      if (!next) return;
      this.#writing += 1;
      next.job();
    }
  }

  async findOwner(owner_id: string): Promise<number | undefined> {
    const [row] = await this.observe(EVERYONE, (sql) =>
      sql.all<{ owner: number | null }>(FIND_OWNER, [owner_id]),
    );
    return row?.owner ?? undefined;
  }

  query(statement: string): Promise<unknown> {
    return this.#pool.query(statement);
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  async #observe<T>(
    sql: PostgresSql,
    begin: string,
    sight: Sight,
    work: (sql: PostgresSql) => Promise<T>,
  ): Promise<T> {
    this.#begin(sql, begin, sight);
    try {
      const result = await work(sql);
      sql.requireSuccess();
      return result;
    } finally {
      // Not awaited: statements run in order, so the connection's next user comes after it.
      sql.send("COMMIT");
    }
  }

  /** One message: several would cost a short read as much as the read itself. */
  #begin(sql: PostgresSql, begin: string, sight: Sight): void {
    const owner = typeof sight === "number" ? [`SET LOCAL rungs.owner = '${sight}'`] : [];
    sql.begin([begin, this.#settings, ...owner, "SELECT pg_backend_pid() AS pid"].join("; "));
    if (typeof sight === "object") sql.send(SEE_OWNER_OF_TOKEN, [findable(sight.token_digest)]);
  }

  async #withSql<T>(sight: Sight, work: (sql: PostgresSql, client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connectAny();
    const sql = new PostgresSql(client, this.#traffic, this.#names, this.#form, this.#watch(sight));
    try {
      return await work(sql, client);
    } catch (error) {
      // A server that became read-only has a successor, or will be writable again: in both cases, reconnect.
      if ((error as { code?: unknown }).code === READ_ONLY) sql.lost ??= error as Error;
      throw (error as { constraint?: unknown }).constraint === SEAL_CONSTRAINT ? createOutdated() : error;
    } finally {
      client.release(sql.lost);
    }
  }

  #watch(sight: Sight): StatementWatch | undefined {
    const slow = this.#slow;
    if (!slow) return undefined;
    return (text, values, duration_ms, rows) => {
      if (duration_ms < slow.from_ms || !PLANNED.test(text)) return;
      const query = { engine: "postgres" as const, statement: describeStatement(text), duration_ms, rows };
      slow.note(this.#findPlan(sight, text, values).then((plan) => ({ ...query, plan })));
    };
  }

  /**
   * Outside the statement's transaction, and one at a time: logging must neither affect what it reports nor add to its
   * load.
   */
  async #findPlan(sight: Sight, text: string, values: readonly Value[]): Promise<string[]> {
    if (this.#explaining >= EXPLAINING_MAX) return [];
    this.#explaining += 1;
    const plan = this.#explained.then(() =>
      this.observe(sight, (sql) => explain(sql, text, values.map(findable))),
    );
    this.#explained = plan.catch(() => undefined);
    try {
      return await plan;
    } catch {
      return [];
    } finally {
      this.#explaining -= 1;
    }
  }
}
