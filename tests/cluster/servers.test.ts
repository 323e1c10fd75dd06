/** The servers of a database, as `rungs status`, the metrics and the administrator's page list them. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createMeter, ensureOwner, listServers, sendHeartbeats } from "@rungs/server";
import { rungsHere } from "../../testing/cli/in-process.ts";
import { start } from "../../testing/cli/program.ts";
import { engines, openTestStore } from "../../testing/engines.ts";
import { until } from "../../testing/until.ts";

test("R141 rungs status lists ready, draining and gone servers of a database, and none that has stopped", async (t) => {
  const place = await engines.postgres();
  const home = mkdtempSync(join(tmpdir(), "rungs-servers-"));
  t.after(async () => {
    rmSync(home, { recursive: true });
    await place.remove();
  });
  const env = { RUNGS_HOME: home, RUNGS_DATABASE: place.address };
  const serve = () => {
    const server = start(["serve", "--port", "0", "--json", "--drain", "60"], env);
    t.after(() => server.kill("SIGKILL"));
    return server;
  };
  const [first, second] = [serve(), serve()];
  const list = async () => {
    const { code, out, err } = await rungsHere(["status", "--json"], env);
    assert.equal(code, 0, err);
    return JSON.parse(out).servers as { state: string; address: string; version: string }[];
  };
  const untilStates = (...states: string[]) =>
    until(
      async () =>
        (await list())
          .map(({ state }) => state)
          .sort()
          .join() === states.join(),
    );
  await untilStates("ready", "ready");
  const servers = await list();
  assert.equal(new Set(servers.map(({ address }) => address)).size, 2);
  for (const { address } of servers) assert.match(address, /^http:\/\/127\.0\.0\.1:\d+$/);
  first.kill("SIGTERM");
  await untilStates("draining", "ready");
  const { out } = await rungsHere(["status"], env);
  assert.match(out, /^Servers {3}2 of this database$/m);
  assert.match(out, /^\S+ http:\/\/127\.0\.0\.1:\d+ +draining +\d+\.\d+\.\d+/m);
  second.kill("SIGINT");
  await untilStates("draining");
});

test("R141 a killed server is gone after three missed heartbeats, and forgotten after an hour", async (t) => {
  let now_ms = Date.now();
  const { store, close } = await openTestStore("sqlite", { now: () => new Date(now_ms) });
  t.after(close);
  const owner = { store, owner_id: await ensureOwner(store), now: () => now_ms };
  const meter = createMeter();
  const entry = {
    time: "2026-01-01T00:00:00.000Z",
    request_id: "r",
    method: "GET",
    duration_ms: 1,
    bytes: 1,
  };
  meter.add({ ...entry, operation: "search", status: 503, code: "database_unavailable" });
  meter.add({ ...entry, operation: "search", status: 404, code: "not_found" });
  // Its process keeps running, but its heartbeats do not reach the database.
  const lost = { ...store, deleteState: async () => undefined };
  const end = new AbortController();
  const server = { address: "http://127.0.0.1:1", meter, draining: new AbortController().signal };
  const noting = sendHeartbeats({ ...owner, store: lost }, server, end.signal);
  await until(async () => (await listServers(owner)).length === 1);
  end.abort();
  await noting;
  const [ready] = await listServers(owner);
  assert.deepEqual(
    [ready?.state, ready?.last_error],
    ["ready", { code: "database_unavailable", at: entry.time }],
  );
  now_ms += 46_000;
  assert.deepEqual(
    (await listServers(owner)).map(({ state }) => state),
    ["gone"],
  );
  now_ms += 3_600_000;
  assert.deepEqual(await listServers(owner), []);
});
