/** Row-level security keeps PostgreSQL from looking results of functions up in an index: windows must not read the whole text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { engines } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, refOf, scopeOver } from "../../../../testing/store/world.ts";
import type { Sql, Value } from "../database.ts";
import { readStored } from "../read/field-text.ts";

test("R20 R120 a window is a range of an index under the server's role", async (t) => {
  const place = await engines.postgres();
  t.after(() => place.remove());
  const store = await place.open();
  await createOwner(store);
  await ingest(store, [message("a", { body: "window ".repeat(60_000) })]);
  await store.close();
  const asked: { statement: string; values: readonly Value[] }[] = [];
  const dialect = { isAnyText: (column: string, at: string) => `${column} = ANY (${at}::text[])` };
  const all = async (statement: string, values: readonly Value[] = []) => {
    asked.push({ statement, values });
    return [];
  };
  const sql = { all, dialect } as unknown as Sql;
  const [limits] = scopeOver("messages", { fields: ["body"] }).streams;
  assert.ok(limits);
  const window = { ref: refOf("a"), path: "body", field: "body", limits };
  await readStored({ sql, owner: 1 }, window, { start: 200_000, end: 204_096 });
  const client = new pg.Client({ connectionString: place.address });
  await client.connect();
  try {
    const [role] = (await client.query("SELECT rolname FROM pg_roles WHERE rolname LIKE 'rungs_server_of_%'"))
      .rows;
    await client.query(`SET ROLE "${role.rolname}"`);
    await client.query("SELECT set_config('rungs.owner', '1', false)");
    const [{ statement, values }] = asked as [(typeof asked)[number]];
    const { rows } = await client.query(`EXPLAIN ${statement}`, values as unknown[]);
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    assert.match(plan, /Index Cond: .*start_char > .*start_char < /, plan);
  } finally {
    await client.end();
  }
});
