/** A new version is started beside servers of the last one, which go on with the migrated tables. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { createPlace } from "../../../../testing/engines.ts";
import { SCHEMA_VERSION } from "../schema.ts";

const LAST = SCHEMA_VERSION - 1;

/** What the last version's servers write, column by column in its order of columns. */
const LAST_WRITES = [
  "INSERT INTO owners VALUES (7, 'later', 1, 1, 1, 0, NULL, NULL, NULL, NULL)",
  "INSERT INTO tokens VALUES (7, 'digest', 'owner', 'owner', '[]', '2026-01-01T00:00:00Z', NULL, NULL, NULL)",
  "INSERT INTO state SELECT * FROM unnest('{7}'::bigint[], '{k}'::text[], '{i}'::text[], '{NULL}'::text[], '{1}'::text[], '{NULL}'::bigint[])",
  "UPDATE owners SET next_doc = next_doc + 1 WHERE owner = 7",
];

test("a migration waits for no lock for long, and servers of the last version write to the new tables", async (t) => {
  const place = await createPlace("postgres");
  t.after(() => place.remove());
  const connect = async () => {
    const client = new pg.Client({ connectionString: place.address });
    await client.connect();
    t.after(() => client.end());
    return client;
  };
  const [reader, server] = [await connect(), await connect()];
  await server.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  const schema = new URL(`../suite/schemas/${LAST}.postgres.sql`, import.meta.url);
  await server.query(readFileSync(schema, "utf8"));
  // A long read, such as an export or a backup of a server of the last version.
  await reader.query("BEGIN");
  await reader.query("SELECT * FROM owners");
  let isOpen = false;
  const opening = place.open().then((store) => {
    isOpen = true;
    return store;
  });
  t.after(async () => (await opening).close());
  await delay(500);
  // It waits behind the migration, which gives up; nobody waits for the reader.
  await server.query(LAST_WRITES[0] as string);
  assert.equal(isOpen, false);
  await reader.query("COMMIT");
  const store = await opening;
  for (const statement of LAST_WRITES.slice(1)) assert.equal((await server.query(statement)).rowCount, 1);
  assert.deepEqual(await store.listOwners(), ["later"]);
  assert.equal((await store.findToken("digest"))?.owner_id, "later");
  assert.equal((await store.getState("later", "k", "i"))?.value, 1);
});

test("a program refuses a database of a newer one, and changes nothing in it", async (t) => {
  const place = await createPlace("postgres");
  t.after(() => place.remove());
  await (await place.open()).close();
  const client = new pg.Client({ connectionString: place.address });
  await client.connect();
  t.after(() => client.end());
  await client.query("UPDATE rungs_schema SET version = version + 1");
  await assert.rejects(place.open(), { code: "database_newer" });
  const { rows } = await client.query("UPDATE rungs_schema SET version = version - 1 RETURNING version");
  assert.deepEqual(rows, [{ version: SCHEMA_VERSION }]);
});
