/** While another process writes, readers continue, and writers wait and then fail with `database_busy`. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { engines } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, OWNER } from "../../../../testing/store/world.ts";

test("SQLite opens and reads while another process writes; a write waits, then fails and loses nothing", async () => {
  const place = await engines.sqlite();
  const before = await place.open();
  await createOwner(before);
  await before.close();
  const other = new DatabaseSync(place.address);
  other.exec("BEGIN IMMEDIATE");
  const store = await place.open({ busy_ms: 50 });
  try {
    assert.deepEqual(await store.listOwners(), [OWNER]);
    await assert.rejects(ingest(store, [message("a")]), { code: "database_busy" });
    other.exec("COMMIT");
    await ingest(store, [message("a")]);
    assert.deepEqual(await store.check(OWNER), []);
  } finally {
    other.close();
    await store.close();
    await place.remove();
  }
});

test("SQLite creates its tables when another process is done writing", async () => {
  const place = await engines.sqlite();
  const other = new DatabaseSync(place.address);
  other.exec("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE");
  await assert.rejects(place.open({ busy_ms: 50 }), { code: "database_busy" });
  other.exec("COMMIT");
  other.close();
  const store = await place.open();
  assert.deepEqual(await store.listOwners(), []);
  await store.close();
  await place.remove();
});
