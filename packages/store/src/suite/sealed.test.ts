/** A sealed PostgreSQL database answers like a plain one, and has no readable long row. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { inflateRawSync } from "node:zlib";
import pg from "pg";
import { createFilePlace, engines, type Place } from "../../../../testing/engines.ts";
import { Random } from "../../../../testing/random.ts";
import { readSize } from "../../../../testing/sizes.ts";
import { createManifest } from "../../../../testing/store/manifests.ts";
import { search } from "../../../../testing/store/matching.ts";
import { Oracle } from "../../../../testing/store/oracle.ts";
import { addPatternRules } from "../../../../testing/store/pattern-rules.ts";
import { CONNECTIONS } from "../../../../testing/store/random-questions.ts";
import { createOwner, ingest, message, OWNER, refOf, scopeOver } from "../../../../testing/store/world.ts";
import { BODY_TABLES } from "../database.ts";
import { changeSeal, readSeal } from "../postgres/open.ts";
import type { BlobFacts, Store, StoreOptions } from "../store.ts";
import { Differential } from "./differential.ts";
import { createProse } from "./long-text.ts";
import { EXPANSION, RANK_WINDOW, SIMILAR_SCAN } from "./read-comparisons.ts";

const [KEY, OTHER] = [Buffer.alloc(32, 7), Buffer.alloc(32, 9)];
const SECRET = "zwetschgendatschi";

const withKeys = (...keys: Buffer[]): StoreOptions => ({ openEnvelope: async () => keys });
const sealing = (...keys: Buffer[]) =>
  ({ state: "sealing", keys, envelope: "both", last_envelope: "last" }) as const;
const opening = (...keys: Buffer[]) => ({ ...sealing(...keys), state: "opening" }) as const;

/** A database that is removed after the test. */
async function createPlace(t: TestContext): Promise<Place> {
  const place = await engines.postgres();
  t.after(() => place.remove());
  await (await place.open()).close();
  return place;
}

async function createSealed(t: TestContext): Promise<Place> {
  const place = await createPlace(t);
  await changeSeal(place.address, sealing(KEY));
  return { ...place, open: (options) => place.open({ ...withKeys(KEY), ...options }) };
}

async function query<R extends pg.QueryResultRow>(place: Place, statement: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: place.address });
  await client.connect();
  try {
    return (await client.query<R>(statement)).rows;
  } finally {
    await client.end();
  }
}

function put(store: Store, bytes: Uint8Array): Promise<BlobFacts> {
  const pieces = (async function* () {
    yield bytes;
  })();
  return store.putBlob(OWNER, "mail", pieces, "text/plain");
}

async function readAll(store: Store, blob_id: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of store.readBlob(scopeOver(), blob_id, { start: 0, end: 1e9 })) pieces.push(piece);
  return Buffer.concat(pieces);
}

const readBody = async (store: Store, key: string, start = 0, end = 1e9) =>
  (await store.readField(scopeOver(), refOf(key), "body", { start, end }))?.text;

/** Two records with text of several chunks, each with a file of two. */
async function fill(store: Store): Promise<{ bodies: string[]; blobs: BlobFacts[]; files: Buffer[] }> {
  await createOwner(store);
  const bodies = ["a", "b"].map((letter) => `${letter} ${`${SECRET} `.repeat(1_000)}`);
  const files = ["a", "b"].map((letter) => Buffer.from(`${letter}${SECRET}`.repeat(20_000)));
  const blobs = [await put(store, files[0] as Buffer), await put(store, files[1] as Buffer)];
  await ingest(
    store,
    blobs.map(({ blob_id, mime_type, size_bytes }, at) =>
      message(["a", "b"][at] as string, {
        body: bodies[at],
        attachment: { blob_id, mime_type, size_bytes, sha256: blob_id },
      }),
    ),
  );
  return { bodies, blobs, files };
}

/** The tables whose bodies contain the word, raw or inflated. */
async function listReadable(place: Place): Promise<string[]> {
  const readable: string[] = [];
  for (const table of BODY_TABLES) {
    const rows = await query<{ body: Buffer }>(place, `SELECT body FROM ${table}`);
    assert.ok(rows.length > 0, table);
    if (rows.some(({ body }) => body.includes(SECRET) || inflate(body).includes(SECRET)))
      readable.push(table);
  }
  return readable;
}

function inflate(body: Buffer): Buffer {
  try {
    return inflateRawSync(body);
  } catch {
    return Buffer.alloc(0);
  }
}

/** A digest of each table, as a copy has it. */
async function digestTables(store: Store): Promise<Record<string, string>> {
  const hashes: Record<string, ReturnType<typeof createHash>> = {};
  await store.dump(async ({ table, rows }) => {
    hashes[table] ??= createHash("sha256");
    for (const cell of rows.flat())
      hashes[table].update(cell instanceof Uint8Array ? cell : `${typeof cell} ${cell};`);
  });
  return Object.fromEntries(Object.entries(hashes).map(([table, hash]) => [table, hash.digest("hex")]));
}

test("R96 a sealed database, a plain one and the oracle agree on every answer", async (t) => {
  const clock = { now: new Date("2026-06-01T00:00:00Z") };
  const options = {
    now: () => clock.now,
    rank_window: RANK_WINDOW,
    similar_scan: SIMILAR_SCAN,
    expansion: EXPANSION,
  };
  const [place, plain] = [await createSealed(t), createFilePlace()];
  const stores = [await place.open({ ...options, workers: 1 }), await plain.open(options)] as const;
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
    await plain.remove();
  }
});

test("R96 windows of a sealed text are those of the text", async (t) => {
  const store = await (await createSealed(t)).open();
  t.after(() => store.close());
  await createOwner(store);
  const text = createProse(200_000).replaceAll("of", "梅😀");
  await ingest(store, [message("a", { body: text })]);
  const chars = Array.from(text);
  const random = new Random(4);
  for (let round = 0; round < 60; round += 1) {
    const start = random.int(0, chars.length);
    const end = start + random.int(0, 20_000);
    assert.equal(await readBody(store, "a", start, end), chars.slice(start, end).join(""));
  }
  const { bytes, rows } = { ...store.traffic };
  await readBody(store, "a", 100_000, 100_001);
  assert.ok(store.traffic.rows - rows <= 4 && store.traffic.bytes - bytes < 20_000, "a window stays bounded");
});

test("R96 no sealed row contains plain text, and equal bytes are stored once", async (t) => {
  const [sealed, plain] = [await createSealed(t), await createPlace(t)];
  const stores = [await sealed.open(), await plain.open()] as const;
  t.after(() => Promise.all(stores.map((store) => store.close())));
  for (const store of stores) await fill(store);
  assert.deepEqual(await listReadable(sealed), []);
  assert.ok((await listReadable(plain)).includes("chunks"));
  const [store] = stores;
  const { blobs, files } = await fill(store);
  assert.deepEqual(await readAll(store, blobs[1]?.blob_id as string), files[1]);
  const [counted] = await query<{ blobs: string; chunks: string }>(
    sealed,
    "SELECT (SELECT count(*) FROM blobs) AS blobs, (SELECT count(*) FROM blob_chunks) AS chunks",
  );
  assert.deepEqual(counted, { blobs: "2", chunks: "4" });
  assert.deepEqual(await store.check(OWNER), []);
  await store.deleteConnection(OWNER, "mail");
  await store.purge(OWNER);
  assert.deepEqual(await query(sealed, "SELECT 1 FROM chunks UNION ALL SELECT 1 FROM blob_chunks"), []);
});

/** Exchanges the bodies of the first and the last row. */
const swap = (table: string, key: string) => `
  WITH places AS (SELECT min(ARRAY[${key}]) AS one, max(ARRAY[${key}]) AS other FROM ${table})
  UPDATE ${table} t SET body = s.body FROM ${table} s, places
    WHERE ARRAY[${key.replaceAll(/(\w+)/g, "t.$1")}] IN (one, other)
      AND ARRAY[${key.replaceAll(/(\w+)/g, "s.$1")}] IN (one, other) AND t.body <> s.body`;

test("R96 a moved, changed or forged row is refused", async (t) => {
  const attacks: Record<string, string> = {
    "chunks of two records": swap("chunks", "doc, start_char"),
    "chunks of one text": `${swap("chunks", "start_char")} AND t.doc = s.doc AND t.doc = (SELECT min(doc) FROM chunks)`,
    "chunks with a changed bit": "UPDATE chunks SET body = set_bit(body, 400, 1 - get_bit(body, 400))",
    "chunks that are cut": "UPDATE chunks SET body = substring(body FROM 1 FOR 30)",
    "a row of another owner": `INSERT INTO owners (owner, owner_id, next_doc, next_seq, next_run, changes_floor) VALUES (9, 'x', 1, 1, 1, 0);
       UPDATE chunks SET owner = 9`,
    "chunks that are plain":
      "ALTER TABLE chunks DROP CONSTRAINT rungs_sealed; UPDATE chunks SET body = '\\x010000ffff'",
    "pieces of two files": swap("blob_chunks", "blob_no, start_byte"),
    "pieces of one file": `${swap("blob_chunks", "start_byte")} AND t.blob_no = s.blob_no`,
    "blocks of the index": "UPDATE blocks SET run = run + 1000; UPDATE runs SET run = run + 1000",
    vectors: "UPDATE vectors SET number = number + 1000",
  };
  for (const [name, statement] of Object.entries(attacks)) {
    const place = await createSealed(t);
    const store = await place.open();
    try {
      const { blobs } = await fill(store);
      await query(place, statement);
      const reads: Record<string, () => Promise<unknown>> = {
        pieces: () => Promise.all(blobs.map(({ blob_id }) => readAll(store, blob_id))),
        blocks: () => search(store, scopeOver(), SECRET),
        chunks: () => Promise.all([readBody(store, "a"), readBody(store, "b")]),
      };
      const dump = () => store.dump(async () => undefined);
      await assert.rejects(dump, { code: "sealed_data_refused" }, name);
      const read = reads[name.split(" ")[0] as string] ?? dump;
      await assert.rejects(read, { code: "sealed_data_refused" }, name);
    } finally {
      await store.close();
    }
  }
});

test("R96 a missing or wrong key is refused", async (t) => {
  const place = await createSealed(t);
  const store = await place.open();
  await fill(store);
  await store.close();
  await assert.rejects(place.open({ openEnvelope: undefined }), { code: "key_missing" });
  const other = await place.open(withKeys(OTHER));
  await assert.rejects(readBody(other, "a"), { code: "sealed_data_refused" });
  await other.close();
});

test("R96 a filled database is sealed, rekeyed and opened, even after interruptions", async (t) => {
  const place = await createPlace(t);
  const stale = await place.open();
  t.after(() => stale.close());
  const { bodies } = await fill(stale);
  const digests = await digestTables(stale);
  const stop = (table: string) => {
    if (table === "blob_chunks") throw new Error("ended");
  };
  const steps = [
    { change: sealing(KEY), keys: [KEY], state: "sealed" },
    { change: sealing(KEY, OTHER), keys: [OTHER], state: "sealed" },
    { change: opening(OTHER), keys: [], state: undefined },
  ];
  for (const { change, keys, state } of steps) {
    await assert.rejects(changeSeal(place.address, change, stop), /ended/);
    assert.deepEqual(await readSeal(place.address), { state: change.state, envelope: "both" });
    // Some rows are converted, and some are not yet.
    const halfway = await place.open(withKeys(...change.keys));
    assert.deepEqual(await digestTables(halfway), digests);
    assert.deepEqual(await halfway.check(OWNER), []);
    await halfway.close();
    const changed = await changeSeal(place.address, change);
    assert.ok(changed > 0);
    assert.equal((await readSeal(place.address))?.state, state);
    const store = await place.open(withKeys(...keys));
    assert.deepEqual([await readBody(store, "a"), await readBody(store, "b")], bodies);
    assert.deepEqual(await digestTables(store), digests);
    assert.deepEqual((await listReadable(place)).length > 0, state === undefined);
    if (state) {
      const refused = ingest(stale, [message("c", { body: createProse(9_000) })]);
      await assert.rejects(refused, { code: "key_missing" });
    }
    await store.close();
  }
  await ingest(stale, [message("c", { body: createProse(9_000) })]);
  assert.equal(await readBody(stale, "c"), createProse(9_000));
});

test("R96 a sealed database is copied to a plain one and back", async (t) => {
  const [sealed, plain] = [await createSealed(t), createFilePlace()];
  t.after(() => plain.remove());
  const one = await sealed.open();
  const { bodies } = await fill(one);
  const digests = await digestTables(one);
  const other = await plain.open();
  await other.load(one);
  assert.deepEqual(await digestTables(other), digests);
  await one.close();
  const again = await createSealed(t);
  const third = await again.open(withKeys(KEY));
  await third.load(other);
  assert.deepEqual(await digestTables(third), digests);
  assert.equal(await readBody(third, "b"), bodies[1]);
  assert.deepEqual(await listReadable(again), []);
  await Promise.all([other.close(), third.close()]);
});

test("R96 equal texts are sealed to different bytes", async (t) => {
  const place = await createSealed(t);
  const store = await place.open();
  t.after(() => store.close());
  await createOwner(store);
  const body = randomBytes(6_000).toString("hex");
  await ingest(store, [message("a", { body }), message("b", { body })]);
  const rows = await query<{ rows: string; bodies: string }>(
    place,
    "SELECT count(*) AS rows, count(DISTINCT substring(body FROM 37)) AS bodies FROM chunks",
  );
  assert.deepEqual(rows, [{ rows: "6", bodies: "6" }]);
});
