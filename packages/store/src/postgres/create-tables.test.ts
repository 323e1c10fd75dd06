import assert from "node:assert/strict";
import { test } from "node:test";
import { requireQuery } from "@rungs/evidence";
import pg from "pg";
import { engines } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, scopeOver } from "../../../../testing/store/world.ts";
import { SCHEMA_VERSION } from "../schema.ts";
import { tables } from "../tables.ts";
import { listCreateStatements } from "./create-tables.ts";
import { createSharded } from "./open.ts";

const OWNERS = ["ada", "ben", "cy", "dee"];

test("a database partitioned by owner answers like any other, and each owner's rows are in one partition", async (t) => {
  const place = await engines.postgres();
  t.after(() => place.remove());
  await createSharded(place.address, { kind: "partitions", count: 4 });
  await assert.rejects(createSharded(place.address, { kind: "partitions", count: 4 }), {
    code: "database_not_empty",
  });
  const store = await place.open();
  try {
    for (const owner_id of OWNERS) {
      await createOwner(store, { owner_id });
      const records = [
        message("a", { subject: `${owner_id}word` }),
        message("b", { body: "long ".repeat(2_000) }),
      ];
      await ingest(store, records, { owner_id });
      await store.claimOnce(owner_id, "key", Date.now() + 60_000);
    }
    for (const owner_id of OWNERS) {
      const found = await store.search(scopeOver("messages", {}, owner_id), {
        query: requireQuery("adaword"),
        limit: 5,
      });
      assert.equal(found.hits.length, owner_id === "ada" ? 1 : 0);
      assert.deepEqual(await store.check(owner_id), []);
      assert.equal(await store.claimOnce(owner_id, "key", Date.now() + 60_000), false);
    }
  } finally {
    await store.close();
  }
  const client = new pg.Client({ connectionString: place.address });
  await client.connect();
  try {
    const { rows } = await client.query(
      "SELECT owner, count(DISTINCT tableoid) AS places FROM records GROUP BY owner",
    );
    assert.deepEqual(new Set(rows.map(({ places }) => places)), new Set(["1"]));
    const walled = await client.query(
      "SELECT count(*) AS tables FROM pg_policies WHERE policyname = 'rungs_owner'",
    );
    assert.equal(Number(walled.rows[0].tables), Object.keys(tables).length);
  } finally {
    await client.end();
  }
});

test("the plan for Citus distributes every table by owner, co-located", () => {
  const statements = listCreateStatements({ kind: "citus" });
  const distributed = statements.filter((each) => each.includes("create_distributed_table"));
  assert.equal(distributed[0], "SELECT create_distributed_table('owners', 'owner')");
  assert.equal(distributed.length, Object.keys(tables).length);
  for (const each of distributed.slice(1)) assert.match(each, /colocate_with => 'owners'\)$/);
  assert.equal(statements.at(-1), `INSERT INTO rungs_schema VALUES (${SCHEMA_VERSION})`);
});
