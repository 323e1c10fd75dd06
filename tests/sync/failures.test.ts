/** Failures around a sync: the disk, other syncs, the process that runs it. */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { keepSyncing, listRuns, listSyncs, runSync } from "@rungs/sources";
import { MAIN } from "../../testing/cli/program.ts";
import { flood, startHostileServer } from "../../testing/imap/hostile-server.ts";
import { MAIL_SERVER } from "../../testing/imap/mail-server.ts";
import { createSyncWorld, readStored, type SyncWorld, writeMessage } from "../../testing/imap/sync-world.ts";
import { until } from "../../testing/until.ts";

const SCHEDULE = { kind: "every", minutes: 15 } as const;
const [MOUNT, UNMOUNT] = ["mount", "umount"];

async function fill(world: SyncWorld, count: number): Promise<void> {
  const box = await world.box();
  // Distinct words, so that the index grows too.
  for (let at = 0; at < count; at += 1) {
    const body = Array.from({ length: 6_000 }, (_, word) => `w${at}x${word}`).join(" ");
    await box.append("INBOX", writeMessage(`${at}@x`, { body }));
  }
}

test(`R76 a full disk ends the run with a clear message, and the next one resumes where it stopped (${MAIL_SERVER})`, async (t) => {
  const world = await createSyncWorld();
  t.after(() => world.close());
  await fill(world, 6);
  let batches = 0;
  const writeSync: typeof world.store.writeSync = async (...batch) => {
    batches += 1;
    // As node:sqlite reports SQLITE_FULL.
    if (batches > 1) throw Object.assign(new Error("database or disk is full"), { errcode: 13 });
    return world.store.writeSync(...batch);
  };
  const full = { ...world.context, store: { ...world.store, writeSync } };
  const run = await runSync(full, "box", { batch_changes: 2 });
  assert.deepEqual([run.state, run.failure?.code], ["failed", "database_unavailable"]);
  assert.match(`${run.failure?.message} ${run.failure?.next}`, /The disk is full\. Make room/);
  const stored = (await readStored(world.store)).length;
  assert.ok(stored > 0 && stored < 6, `${stored} of 6`);
  await world.sync();
  await world.compare();
});

test(`R76 a truly full disk loses nothing (${MAIL_SERVER})`, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "rungs-small-disk-"));
  // Only root may mount, and not in every container.
  const isMounted = spawnSync(MOUNT, ["-t", "tmpfs", "-o", "size=3m", "tmpfs", folder]).status === 0;
  if (!isMounted) {
    rmSync(folder, { recursive: true });
    t.diagnostic("No disk can be mounted here: the test before this one fails the writes.");
    return;
  }
  const world = await createSyncWorld({ folder });
  t.after(async () => {
    // Empties the folder; the folder itself is busy until the disk is unmounted.
    await world.close().catch(() => undefined);
    spawnSync(UNMOUNT, [folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  await fill(world, 40);
  const run = await runSync(world.context, "box", { batch_changes: 5 });
  assert.deepEqual([run.state, run.failure?.message], ["failed", "The disk is full."]);
  execFileSync(MOUNT, ["-o", "remount,size=200m", folder]);
  await world.sync();
  await world.compare();
});

test(`R76 a hostile source does not delay another one (${MAIL_SERVER})`, async (t) => {
  const world = await createSyncWorld();
  t.after(() => world.close());
  const { store, context } = world;
  await (await world.box()).append("INBOX", writeMessage("one@x"));
  const hostile = await startHostileServer({ LIST: (socket) => flood(socket, '* LIST () "/" "x"\r\n') });
  const silent = await startHostileServer({ LOGIN: () => undefined });
  t.after(() => Promise.all([hostile.stop(), silent.stop()]));
  for (const [sync_id, { port }] of Object.entries({ hostile, silent }))
    await store.addSync("owner", {
      sync_id,
      connection_id: sync_id,
      kind: "imap",
      settings: { host: "127.0.0.1", port, user: "ada", security: "none" },
      schedule: SCHEDULE,
      keeps_deleted: false,
      secret: await context.secrets.seal("pw", sync_id),
    });
  const end = new AbortController();
  const syncing = keepSyncing({ ...context, contextOf: () => context }, end.signal);
  await until(async () => (await listRuns(context, "box"))[0]?.state === "done");
  await until(async () => (await listRuns(context, "hostile"))[0]?.state === "failed");
  assert.equal((await listRuns(context, "silent"))[0]?.state, "running");
  end.abort();
  await syncing;
  assert.deepEqual(
    (await listSyncs(context)).map(({ sync_id, last_run }) => [
      sync_id,
      last_run?.state,
      last_run?.failure?.code,
    ]),
    [
      ["box", "done", undefined],
      ["hostile", "failed", "source_broken"],
      ["silent", "stopped", undefined],
    ],
  );
  await world.compare();
});

test(`R76 a new message is read at once if the server has IDLE (${MAIL_SERVER})`, async (t) => {
  const world = await createSyncWorld();
  t.after(() => world.close());
  const box = await world.box();
  await box.append("INBOX", writeMessage("first@x"));
  const end = new AbortController();
  const syncing = keepSyncing({ ...world.context, contextOf: () => world.context }, end.signal);
  t.after(async () => {
    end.abort();
    await syncing;
  });
  const ids = async () => (await readStored(world.store)).map(([id]) => id);
  await until(async () => (await listRuns(world.context, "box"))[0]?.state === "done");
  // Wait until it listens. The schedule is only due in a quarter of an hour.
  await delay(2_500);
  await box.append("INBOX", writeMessage("second@x"));
  await until(async () => (await ids()).includes("second@x"));
  await delay(2_500);
  await box.mailboxOpen("INBOX");
  await box.messageDelete("1");
  await until(async () => !(await ids()).includes("first@x"));
});

test("a calendar server's Retry-After is honoured", async (t) => {
  const server = createServer((_, answer) => answer.writeHead(429, { "retry-after": "7200" }).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const world = await createSyncWorld();
  t.after(async () => {
    server.close();
    await world.close();
  });
  const { store, context } = world;
  await store.addSync("owner", {
    sync_id: "dates",
    connection_id: "dates",
    kind: "caldav",
    settings: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, user: "ada" },
    schedule: SCHEDULE,
    keeps_deleted: false,
    secret: await context.secrets.seal("pw", "dates"),
  });
  const run = await runSync(context, "dates");
  assert.deepEqual([run.state, run.failure?.code], ["failed", "source_throttled"]);
  assert.ok((run.next_ms ?? 0) >= Date.now() + 7_100_000);
});

test(`R76 the sync process beside a server restarts after a kill (${MAIL_SERVER})`, async (t) => {
  const world = await createSyncWorld();
  t.after(() => world.close());
  const box = await world.box();
  await box.append("INBOX", writeMessage("one@x"));
  const env = { ...process.env, RUNGS_HOME: world.folder };
  const argv = ["--conditions=rungs-source", MAIN, "serve", "--port", "0"];
  const server = spawn(process.execPath, argv, { stdio: "ignore", env });
  t.after(async () => {
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    await ended;
  });
  const readState = async () => (await listRuns(world.context, "box"))[0]?.state;
  await until(async () => (await readState()) === "done");
  const first = findChild(server.pid ?? 0);
  process.kill(first, "SIGKILL");
  await box.append("INBOX", writeMessage("two@x"));
  await world.store.changeSync("owner", "box", { due_ms: 0 });
  await until(async () => (await readStored(world.store)).length === 2);
  assert.notEqual(findChild(server.pid ?? 0), first);
});

/** The process `rungs sync watch` that a server started. */
function findChild(parent: number): number {
  const lines = execFileSync("ps", ["axww", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const line = lines.find(
    (each) => each.includes("sync watch") && Number(each.trim().split(/\s+/)[1]) === parent,
  );
  return Number(line?.trim().split(/\s+/)[0]);
}
