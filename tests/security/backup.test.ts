/** A backup taken under concurrent writes is a complete snapshot of one moment. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { exampleManifest, type RecordEnvelope } from "@rungs/contract";
import { ensureOwner, putConnection } from "@rungs/server";
import type { ListPosition, Store } from "@rungs/store";
import { openSqlite } from "@rungs/store/sqlite";
import { rungs } from "../../testing/cli/program.ts";
import { testOnEachEngine } from "../../testing/engines.ts";

const WRITERS = 3;
const KEYS = 20;
const folder = mkdtempSync(join(tmpdir(), "rungs-backup-"));
after(() => rmSync(folder, { recursive: true }));

/** Every round rewrites all its records in one batch: a snapshot has all of them from the same round. */
function roundOf(round: number): RecordEnvelope[] {
  return Array.from({ length: KEYS }, (_, at) => ({
    stream: "labels",
    key: ["a", String(at)],
    emitted_at: "2026-06-01T00:00:00Z",
    data: { account: "a", number: at, name: `round ${round} ${"text ".repeat(at)}` },
  }));
}

/** Writes until it is told to stop; `acknowledged` counts the rounds that the store has acknowledged. */
function startWriter(writer: number, owner_id: string, open: () => Promise<Store>) {
  const state = { acknowledged: 0, isDone: false };
  const done = (async () => {
    const own = await open();
    for (let round = 1; !state.isDone; round += 1) {
      const outcomes = await own.ingest(owner_id, `mail-${writer}`, roundOf(round));
      assert.ok(outcomes.every(({ status }) => status === "added" || status === "changed"));
      const log = { stream: "labels", key: ["log", String(round)], emitted_at: "2026-06-01T00:00:00Z" };
      const data = { account: "log", number: round, name: `log ${round}` };
      await own.ingest(owner_id, `mail-${writer}`, [{ ...log, data }]);
      state.acknowledged = round;
      // SQLite answers synchronously: without a pause, nothing else in this process would ever run.
      await delay(1);
    }
    await own.close();
  })();
  return { state, done };
}

async function readNames(
  copy: Store,
  owner_id: string,
  connection_id: string,
  account: string,
): Promise<Map<number, string>> {
  const streams = [{ connection_id, stream: "labels", fields: ["account", "number", "name"] }];
  const found = new Map<number, string>();
  const asked = { connection_id, stream: "labels", order: "asc", limit: 100 } as const;
  let after: ListPosition | undefined;
  do {
    const page = await copy.listRecords({ owner_id, streams }, { ...asked, after });
    for (const { data } of page.records) {
      if (data.account === account) found.set(Number(data.number), String(data.name));
    }
    after = page.next;
  } while (after);
  return found;
}

testOnEachEngine(
  "every record acknowledged before the backup is in it, all of one moment, and it is sound",
  async ({ store, place, context }) => {
    const owner_id = await ensureOwner(store);
    for (let writer = 0; writer < WRITERS; writer += 1)
      await putConnection({ store, owner_id, now: Date.now }, `mail-${writer}`, exampleManifest, undefined);
    const blob = await store.putBlob(owner_id, "home", chunk("kept bytes"), "text/plain");
    const writers = Array.from({ length: WRITERS }, (_, at) => startWriter(at, owner_id, place.open));
    const stop = async () => {
      for (const { state } of writers) state.isDone = true;
      await Promise.all(writers.map(({ done }) => done));
    };
    context.after(() => stop().catch(() => undefined));
    // A failing writer ends the wait.
    const failed = Promise.all(writers.map(({ done }) => done));
    while (writers.some(({ state }) => state.acknowledged < 5)) await Promise.race([delay(5), failed]);
    const before = writers.map(({ state }) => state.acknowledged);
    const file = join(folder, `${place.engine}.db`);
    const made = await rungs(["backup", file, "--database", place.address, "--json"], {});
    const between = writers.map(({ state }) => state.acknowledged);
    await stop();
    assert.equal(made.code, 0, made.err);
    assert.ok(
      between.every((count, at) => count > (before[at] ?? 0)),
      "nobody wrote during the backup",
    );

    const copy = await openSqlite(file);
    try {
      assert.deepEqual(await copy.check(owner_id), []);
      for (const [at, acknowledged] of before.entries()) {
        const names = await readNames(copy, owner_id, `mail-${at}`, "a");
        const rounds = new Set([...names.values()].map((name) => Number(name.split(" ")[1])));
        assert.deepEqual([names.size, rounds.size], [KEYS, 1], "records of several moments");
        const [round = 0] = rounds;
        assert.ok(round >= acknowledged && round <= (between[at] ?? 0) + 1, `${round} after ${acknowledged}`);
        const log = await readNames(copy, owner_id, `mail-${at}`, "log");
        assert.ok(log.size >= acknowledged && log.size <= round, `${log.size} of ${round}`);
        for (let line = 1; line <= log.size; line += 1) assert.equal(log.get(line), `log ${line}`);
      }
      assert.equal(
        (await copy.putBlob(owner_id, "home", chunk("kept bytes"), "text/plain")).blob_id,
        blob.blob_id,
      );
    } finally {
      await copy.close();
    }
  },
);

async function* chunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
