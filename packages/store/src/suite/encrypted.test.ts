/** An encrypted file answers like a plain one, and is unreadable without its key. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { createFilePlace } from "../../../../testing/engines.ts";
import { Random } from "../../../../testing/random.ts";
import { readSize } from "../../../../testing/sizes.ts";
import { createManifest } from "../../../../testing/store/manifests.ts";
import { Oracle } from "../../../../testing/store/oracle.ts";
import { addPatternRules } from "../../../../testing/store/pattern-rules.ts";
import { CONNECTIONS } from "../../../../testing/store/random-questions.ts";
import { createOwner, ingest, message, OWNER } from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";
import { Differential } from "./differential.ts";
import { EXPANSION, RANK_WINDOW, SIMILAR_SCAN } from "./read-comparisons.ts";

const KEY = new Uint8Array(32).fill(7);
const SECRET = "zwetschgendatschi";

test("R95 an encrypted file, a plain one and the oracle agree on every answer", async () => {
  const clock = { now: new Date("2026-06-01T00:00:00Z") };
  const options = {
    now: () => clock.now,
    rank_window: RANK_WINDOW,
    similar_scan: SIMILAR_SCAN,
    expansion: EXPANSION,
  };
  const places = [createFilePlace(KEY), createFilePlace()] as const;
  const stores = [await places[0].open({ ...options, workers: 1 }), await places[1].open(options)] as const;
  try {
    const oracle = new Oracle(createManifest(), { embedsInBackground: false });
    for (const store of stores) {
      await createOwner(store, { owner_id: OWNER, connections: CONNECTIONS });
      await addPatternRules(store, OWNER);
    }
    for (const connection_id of CONNECTIONS) oracle.putConnection(OWNER, connection_id);
    const differential = new Differential(new Random(9), oracle, [OWNER], stores, clock);
    for (let step = 0; step < readSize("RUNGS_ENCRYPTED_STEPS"); step += 1)
      await differential.steps[differential.pickStep()]?.run();
  } finally {
    for (const store of stores) await store.close();
    for (const place of places) await place.remove();
  }
});

test("R95 no file of a database contains a word of it, open or closed", async () => {
  const place = createFilePlace(KEY);
  try {
    const store = await place.open();
    await fill(store);
    await store.appendAudit(OWNER, [READ]);
    assert.deepEqual(listReadable(place.address), []);
    await store.close();
    assert.deepEqual(listReadable(place.address), []);
    const plain = createFilePlace();
    const other = await plain.open();
    await fill(other);
    await other.appendAudit(OWNER, [READ]);
    assert.deepEqual(listReadable(plain.address), ["rungs.db-notes-wal", "rungs.db-wal"]);
    await other.close();
    await plain.remove();
  } finally {
    await place.remove();
  }
});

test("R95 R73 the space of deleted records is freed, though VACUUM would write a plain temporary file", async () => {
  const place = createFilePlace(KEY);
  try {
    const store = await place.open();
    await fill(store);
    await store.purge(OWNER);
    const full = statSync(place.address).size;
    await store.deleteConnection(OWNER, "mail");
    assert.deepEqual(await store.purge(OWNER), { is_space_freed: true });
    assert.deepEqual(await store.check(OWNER), []);
    await store.close();
    assert.ok(statSync(place.address).size < full / 2, `${full}, then ${statSync(place.address).size} bytes`);
  } finally {
    await place.remove();
  }
});

test("R95 a wrong key, no key, and a key for a plain file are refused", async () => {
  const [sealed, plain] = [createFilePlace(KEY), createFilePlace()];
  try {
    for (const place of [sealed, plain]) await (await place.open()).close();
    await assert.rejects(sealed.open({ key: new Uint8Array(32) }), { code: "key_wrong" });
    await assert.rejects(sealed.open({ key: undefined }), { errcode: 26 });
    await assert.rejects(plain.open({ key: KEY }), { code: "database_not_encrypted" });
    await assert.rejects(sealed.open({ key: KEY.subarray(1) }), /31 bytes/);
    await (await sealed.open()).close();
  } finally {
    for (const place of [sealed, plain]) await place.remove();
  }
});

const READ = {
  at: "2026-06-01T00:00:00Z",
  request_id: "r",
  client_id: SECRET,
  operation: "search",
  status: 200,
  bytes: 1,
};

async function fill(store: Store): Promise<void> {
  await createOwner(store);
  const body = `${SECRET} `.repeat(2_000);
  await ingest(
    store,
    Array.from({ length: 50 }, (_, at) => message(`${SECRET}-${at}`, { subject: SECRET, body })),
  );
  const blob = store.putBlob(
    OWNER,
    "mail",
    (async function* () {
      yield Buffer.from(body);
    })(),
    "text/plain",
  );
  assert.equal((await blob).size_bytes, body.length);
}

/** The files beside a database that contain the word, in UTF-8 or UTF-16. */
function listReadable(address: string): string[] {
  const folder = dirname(address);
  return readdirSync(folder)
    .filter((name) => {
      const bytes = readFileSync(join(folder, name));
      return bytes.includes(SECRET) || bytes.includes(Buffer.from(SECRET, "utf16le"));
    })
    .sort();
}
