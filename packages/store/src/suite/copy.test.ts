/** A store copied to the other engine is identical: every row, and every answer. */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { engines, type Place, testOnEachEngine } from "../../../../testing/engines.ts";
import { Random } from "../../../../testing/random.ts";
import { createManifest } from "../../../../testing/store/manifests.ts";
import { Oracle } from "../../../../testing/store/oracle.ts";
import { addPatternRules } from "../../../../testing/store/pattern-rules.ts";
import { CONNECTIONS, randomScope } from "../../../../testing/store/random-questions.ts";
import {
  createOwner,
  createTestGrant,
  ingest,
  message,
  OWNER,
  putConnection,
  removal,
} from "../../../../testing/store/world.ts";
import type { Store, TablePage } from "../store.ts";
import { tables } from "../tables.ts";
import { answersOf, randomQuestions } from "./answers.ts";
import { Differential } from "./differential.ts";

const AT = "2026-01-01T00:00:00Z";
const OWNERS = [OWNER, "you"];
const SEED = Number(process.env.RUNGS_COPY_SEED ?? 1);

test("a copy on the other engine has every row and gives every answer, in both directions", async () => {
  const places = [await engines.sqlite(), await engines.postgres()] as const;
  const stores = [await places[0].open(), await places[1].open()] as const;
  try {
    const world = await fillBoth(stores);
    await Promise.all([
      assertCopied(stores[0], await engines.postgres(), world),
      assertCopied(stores[1], await engines.sqlite(), world),
    ]);
  } finally {
    for (const store of stores) await store.close();
    for (const place of places) await place.remove();
  }
});

testOnEachEngine("a store that is not empty refuses a copy and keeps its data", async ({ store }) => {
  await createOwner(store);
  const before = await rowsOf(store);
  const place = await engines.sqlite();
  const source = await place.open();
  await createOwner(source, { owner_id: "other" });
  await assert.rejects(store.load(source), { code: "database_not_empty" });
  await assert.rejects(store.load(store), { code: "database_not_empty" });
  assert.deepEqual(await rowsOf(store), before);
  await source.close();
  await place.remove();
});

testOnEachEngine("an interrupted copy leaves nothing, and can be repeated", async ({ store }) => {
  const place = await engines.sqlite();
  const source = await place.open();
  await createOwner(source);
  await ingest(source, [message("a", { body: "river ".repeat(4_000) })]);
  const empty = await rowsOf(store);
  const broken = {
    dump: (take: (page: TablePage) => Promise<void>) =>
      source.dump(async (page) => {
        if (page.table === "chunks") throw new Error("gone");
        await take(page);
      }),
  };
  await assert.rejects(store.load(broken), /gone/);
  assert.deepEqual(await rowsOf(store), empty);
  await store.load(source);
  assert.deepEqual(await rowsOf(store), await rowsOf(source));
  await source.close();
  await place.remove();
});

/** The same random data in both, and at least one row of every other table. */
async function fillBoth(stores: readonly [Store, Store]): Promise<Differential> {
  const oracle = new Oracle(createManifest());
  for (const owner_id of OWNERS) {
    for (const store of stores) {
      await createOwner(store, { owner_id, connections: CONNECTIONS });
      await addPatternRules(store, owner_id);
    }
    for (const connection_id of CONNECTIONS) oracle.putConnection(owner_id, connection_id);
  }
  // Before the writes: changes before an exclusion cannot be followed.
  const hides = { kind: "person" as const, person: "doctor@clinic.example" };
  for (const store of stores) await store.putExclusion(OWNER, { rule_id: "r", created_at: AT, hides });
  const clock = { now: new Date() };
  const world = new Differential(new Random(SEED), oracle, OWNERS, stores, clock);
  for (let write = 0; write < 50; write += 1) await world.write(world.random.pick(OWNERS));
  for (const store of stores) await addTheRest(store);
  return world;
}

async function addTheRest(store: Store): Promise<void> {
  const bytes = Readable.from([Buffer.alloc(600_000, "bytes of a file ")]);
  const blob = await store.putBlob(OWNER, "files", bytes, "text/plain");
  await putConnection(store, { connection_id: "files", display_name: "Files 🗂" });
  const files = Array.from({ length: 1_200 }, (_, at) =>
    message(`f${at}`, { subject: `file ${at}`, attachment: blob }),
  );
  await ingest(store, files, { connection_id: "files" });
  await ingest(store, [removal("messages", "f7")], { connection_id: "files" });
  for (const grant_id of ["g1", "g2"]) await store.putGrant(OWNER, createTestGrant(grant_id));
  await store.revokeGrant(OWNER, "g2", AT);
  await store.spendBudget(OWNER, "g1", { records: 9 }, { day: "2026-01-01", records: 1, bytes: 12 });
  const token = { owner_id: OWNER, client_id: "agent", grant_ids: ["g1"], created_at: AT, expires_at: AT };
  await store.putToken({ ...token, kind: "client", digest: "0".repeat(64) });
  await store.getSecret("cursor", () => "kept");
  await store.putState(OWNER, { kind: "session", id: "s1", value: { a: [1, "ü"] }, bundle: "b" });
  const read = { at: AT, client_id: "agent", operation: "fetch", status: 200, bytes: 12 };
  await store.appendAudit(OWNER, [
    { ...read, request_id: "r1" },
    { ...read, request_id: "r2", grant_id: "g1", range_start: 0, range_end: 9, records: 1 },
  ]);
  await addSync(store);
}

async function addSync(store: Store): Promise<void> {
  const sync = { sync_id: "box", connection_id: "files", kind: "imap", settings: { host: "ü.example" } };
  const schedule = { kind: "every", minutes: 15 } as const;
  await store.addSync(OWNER, { ...sync, schedule, keeps_deleted: false, secret: "1.sealed" });
  const lease = { sync_id: "box", holder: "here" };
  await store.leaseSync(OWNER, lease, Date.now() + 60_000);
  const item = {
    collection: "INBOX",
    item: "1",
    stream: "messages",
    record_id: "f1",
    others: [],
    state: null,
  };
  await store.writeSync(OWNER, lease, {
    connection_id: "files",
    records: [],
    items: [item],
    removed: [],
    cursors: [{ collection: "INBOX", cursor: { uid_next: 2 } }],
  });
  await store.releaseSync(OWNER, lease);
  await store.putSyncRun(OWNER, { sync_id: "box", started_ms: 1, body: { state: "done" } });
}

async function assertCopied(source: Store, place: Place, world: Differential): Promise<void> {
  const target = await place.open();
  const steps = new Set<string>();
  const digests = await target.load(source, ({ phase, table }) => steps.add(`${phase} ${table}`));
  await target.close();
  const copy = await place.open();
  try {
    const names = Object.keys(tables);
    assert.deepEqual(
      digests.map(({ table }) => table),
      names,
      "the fixture has rows of every table",
    );
    assert.equal(steps.size, 2 * names.length);
    assert.deepEqual(await rowsOf(copy), await rowsOf(source));
    for (const owner_id of OWNERS) {
      assert.deepEqual(await copy.check(owner_id), []);
      for (let round = 0; round < 4; round += 1) await assertSameAnswers(source, copy, world, owner_id);
    }
    await ingest(copy, [message("later")], { connection_id: "files" });
    assert.deepEqual(await copy.check(OWNER), []);
  } finally {
    await copy.close();
    await place.remove();
  }
}

async function assertSameAnswers(one: Store, other: Store, world: Differential, owner_id: string) {
  const { random, oracle } = world;
  const scope = randomScope(random, oracle, owner_id);
  const questions = randomQuestions(random, oracle, scope, [0, 40]);
  assert.equal(await answersOf(other, scope, questions), await answersOf(one, scope, questions));
}

async function rowsOf(store: Store): Promise<unknown[]> {
  const rows: unknown[] = [];
  await store.dump(async (page) => {
    for (const cells of page.rows) {
      rows.push([page.table, ...cells.map((cell) => (ArrayBuffer.isView(cell) ? Buffer.from(cell) : cell))]);
    }
  });
  return rows;
}
