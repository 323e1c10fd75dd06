import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { startOwnPostgres } from "../../../../testing/postgres.ts";
import { createOwner, ingest, message, OWNER, refOf, scopeOver } from "../../../../testing/store/world.ts";
import { until } from "../../../../testing/until.ts";
import { openPostgres } from "./open.ts";

test("R131 a primary without room for another connection keeps the existing ones", async (t) => {
  const server = await startOwnPostgres();
  const admin = new pg.Client(server.url);
  await admin.connect();
  await admin.query("CREATE ROLE app LOGIN");
  await admin.query("CREATE DATABASE app OWNER app");
  const address = new URL(server.url);
  address.username = "app";
  address.pathname = "/app";
  const store = await openPostgres(address.href, { workers: 1 });
  const holder = new pg.Client(address.href);
  await holder.connect();
  t.after(async () => {
    await holder.end();
    await store.close();
    await admin.end();
    await server.stop();
  });
  await createOwner(store);
  await ingest(store, [message("a", { body: "a heron" })]);
  await holder.query("BEGIN");
  await holder.query("UPDATE owners SET owner_id = owner_id WHERE owner_id = $1", [OWNER]);
  const waiting = ingest(store, [message("b", { body: "a heron" })]);
  const watches = "FROM pg_stat_activity WHERE usename = 'app' AND query LIKE '%pg_current_wal_flush_lsn%'";
  // The first look is a second after the start.
  await until(async () => (await admin.query(`SELECT 1 ${watches}`)).rowCount === 1);
  await admin.query("ALTER ROLE app CONNECTION LIMIT 0");
  const ended = await admin.query(`SELECT pg_terminate_backend(pid) ${watches}`);
  assert.equal(ended.rowCount, 1);
  // Longer than a silent server keeps its connections.
  const outcome = await Promise.race([waiting.then(() => "written"), delay(6_000, "waiting")]);
  assert.equal(outcome, "waiting");
  await admin.query("ALTER ROLE app CONNECTION LIMIT -1");
  await holder.query("ROLLBACK");
  await waiting;
  assert.ok(await store.getRecord(scopeOver(), refOf("b")));
});
