/** How many pages PostgreSQL reads for a window before it has statistics. */
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { engines } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, refOf, scopeOver } from "../../../../testing/store/world.ts";
import { createPool } from "../postgres/pool.ts";

const WINDOW = 4_096;

test("R25 a window touches as few pages of a long text as of a short one", async () => {
  const place = await engines.postgres();
  const store = await place.open();
  const pool = createPool(place.address, { max: 1 });
  try {
    await createOwner(store);
    await ingest(store, [
      message("long", { body: "all words of a long text ".repeat(400_000) }),
      message("short", { body: "all words of a short text ".repeat(400) }),
    ]);
    const pages = async (key: string, start: number) => {
      const statement = await lastStatement(() =>
        store.readField(scopeOver("messages"), refOf(key), "body", { start, end: start + WINDOW }),
      );
      return countPages(pool, statement);
    };
    const short = await pages("short", 0);
    for (const start of [0, 5_000_000, 9_990_000]) {
      const long = await pages("long", start);
      assert.ok(long <= short + 4, `${long} pages at ${start}, ${short} of the short text`);
    }
  } finally {
    await pool.end();
    await store.close();
    await place.remove();
  }
});

interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

async function lastStatement(work: () => Promise<unknown>): Promise<Statement> {
  const { query } = pg.Client.prototype;
  const seen: Statement[] = [];
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [config] = args as [Statement | string];
    if (typeof config === "object" && /^SELECT/.test(config.text)) seen.push(config);
    return Reflect.apply(query, this, args);
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  const last = seen.at(-1);
  assert.ok(last);
  return last;
}

async function countPages(pool: pg.Pool, { text, values }: Statement): Promise<number> {
  const explained = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`;
  const { rows } = await pool.query(explained, values);
  const { Plan: plan } = rows[0]["QUERY PLAN"][0];
  return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
}
