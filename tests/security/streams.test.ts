/**
 * Streams that are open when their grant ends: nothing of a record is delivered after that. `RUNGS_STREAM_REVOCATIONS` sets how
 * many streams each engine ends, at random points and in random ways; `RUNGS_STREAM_SEED` repeats one run.
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createClient } from "@rungs/client";
import { createServer, digestToken, openSealer } from "@rungs/server";
import type { BlobFacts, Caller, Store } from "@rungs/store";
import { listen } from "rungs/internal/listen";
import { Random } from "../../testing/random.ts";
import { readSize } from "../../testing/sizes.ts";
import { chunk, GRANTED_FIELDS, onEveryEngine, type World } from "../../testing/world.ts";

const REVOCATIONS = readSize("RUNGS_STREAM_REVOCATIONS");
const SEED = Number(process.env.RUNGS_STREAM_SEED ?? 16);
const RECORDS = 300;
const HOUR_MS = 3_600_000;
const notes = { name: "notes", instance_ids: ["home"], fields: GRANTED_FIELDS };
/** The beginning of every record's text, and the content of the large blob. */
const CONTENT = "streamed content ";

/** The ways in which access ends; each returns the error code that an open stream and a new request then get. */
const ends = {
  grant: async ({ store, owner_id }: World, { grant }: Allowed) => {
    await store.revokeGrant(owner_id, grant.grant_id, new Date().toISOString());
    return "grant_revoked";
  },
  token: async ({ store, owner_id }: World, { token }: Allowed) => {
    await store.revokeToken(owner_id, digestToken(token), new Date().toISOString());
    return "invalid_token";
  },
  time: async ({ clock }: World) => {
    clock.now += 2 * HOUR_MS;
    return "invalid_token";
  },
};

type Allowed = Awaited<ReturnType<World["allow"]>>;

onEveryEngine((world) => {
  let large: BlobFacts;
  before(async () => {
    large = await fill(world());
  });

  test("R130 each chunk of a stream may come from a replica only if the replica has what was committed before the chunk", async () => {
    const { store, clock } = world();
    let write_version = 0;
    const callers: Caller[] = [];
    const replicated: Store = {
      ...store,
      async findAccess(digest) {
        const access = await store.findAccess(digest);
        write_version += 1;
        return access && { ...access, write_version };
      },
      forCaller(caller) {
        callers.push(caller);
        return store.forCaller(caller);
      },
    };
    const app = createServer({
      store: replicated,
      sealer: await openSealer(store),
      now: () => clock.now,
      log: () => undefined,
    });
    const { token } = await world().allow([notes]);
    const ask = (path: string) => app.request(path, { headers: { Authorization: `Bearer ${token}` } });
    const reader = ((await ask("/v1/export")).body as ReadableStream<Uint8Array>).getReader();
    while (!(await reader.read()).done);
    assert.ok(write_version > 2, "looked up for each chunk");
    assert.equal(callers.at(-1)?.write_version, write_version);
    const watched = await ask("/v1/watch/notes?connection_id=home&seconds=1");
    await watched.text();
    assert.equal(callers.at(-1)?.write_version, undefined, "a watch reads from the primary");
  });

  test(`R58 ${REVOCATIONS} streams end when their access ends (seed ${SEED})`, async () => {
    const random = new Random(SEED);
    for (let round = 0; round < REVOCATIONS; round += 1) {
      const way = random.pick(Object.keys(ends) as (keyof typeof ends)[]);
      const path = random.pick(["/v1/export", `/v1/blobs/${large.blob_id}`]);
      const allowed = await world().allow([notes], { expires_at_ms: world().clock.now + HOUR_MS });
      const answer = await world().ask(path, allowed.token);
      assert.equal(answer.status, 200);
      const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
      for (let left = random.below(6); left > 0; left -= 1) assert.equal((await reader.read()).done, false);
      const code = await ends[way](world(), allowed);
      const rest = await readRest(reader);
      const about = `${way} ${path} round ${round}`;
      assert.ok(rest.isBroken, `${about}: the stream looks complete`);
      assert.ok(!rest.text.includes(CONTENT), `${about}: ${rest.text.length} more bytes`);
      const line = rest.text.trim();
      if (path === "/v1/export") assert.equal(JSON.parse(line).error.code, code, about);
      else assert.equal(line, "", about);
      assert.equal((await world().refusal("/v1/streams", allowed.token)).code, code, about);
    }
  });

  test("R58 an export has the records that existed at its start: one written later is not delivered", async () => {
    const { store, owner_id, client } = world();
    const answer = await world().ask("/v1/export", client);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const first = Buffer.from((await reader.read()).value as Uint8Array).toString();
    await store.ingest(owner_id, "home", [note("written-later"), { ...note("s299"), data: changed("s299") }]);
    const { text, isBroken } = await readRest(reader);
    assert.equal(isBroken, false);
    assert.doesNotMatch(text, /written-later/);
    assert.match(text, /changed meanwhile/, "a record that was there is delivered as it is now");
    const lines = (first + text).trimEnd().split("\n");
    const end = JSON.parse(lines.at(-1) as string);
    assert.deepEqual(end, { object: "export_end", record_count: lines.length - 1 });
    assert.match(await (await world().ask("/v1/export", client)).text(), /written-later/);
  });

  test("R58 a client gets the error code of a stream that is ended, over a real connection", async (context) => {
    const { app, store, owner_id } = world();
    const server = await listen(app.fetch, { host: "127.0.0.1", port: 0, stop_ms: 500 });
    context.after(() => server.stop());
    const { token, grant } = await world().allow([notes]);
    const client = createClient({ base_url: server.url, token });
    let records = 0;
    const readAll = async () => {
      for await (const _ of client.exportRecords({})) {
        records += 1;
        if (records === 1) await store.revokeGrant(owner_id, grant.grant_id, new Date().toISOString());
      }
    };
    await assert.rejects(readAll(), { code: "grant_revoked" });
    assert.ok(records < RECORDS, `${records} records`);
  });
});

onEveryEngine(
  (world) => {
    test("R58 a stream that lasts too long ends, with a code for a client that still reads", async () => {
      await fill(world());
      const answer = await world().ask("/v1/export");
      const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
      await new Promise((resolve) => setTimeout(resolve, 60));
      const { text, isBroken } = await readRest(reader);
      assert.ok(isBroken);
      assert.equal(JSON.parse(text.trim().split("\n").at(-1) as string).error.code, "stream_too_long");
    });
  },
  { limits: { stream_ms: 50 } },
);

async function readRest(reader: ReadableStreamDefaultReader<Uint8Array>) {
  let text = "";
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read())
      text += Buffer.from(next.value).toString();
    return { text, isBroken: false };
  } catch {
    return { text, isBroken: true };
  }
}

async function fill({ store, owner_id }: World): Promise<BlobFacts> {
  const keys = Array.from({ length: RECORDS }, (_, at) => `s${at}`);
  await store.ingest(owner_id, "home", keys.map(note));
  const large = await store.putBlob(owner_id, "home", chunk(CONTENT.repeat(120_000)), "text/plain");
  const { blob_id, mime_type, size_bytes, sha256 } = large;
  const picture = { blob_id, mime_type, size_bytes, sha256 };
  await store.ingest(owner_id, "home", [{ ...note("large"), data: { id: "large", picture } }]);
  return large;
}

function note(key: string) {
  const data = { id: key, body: CONTENT.repeat(150), written_at: "2026-05-02T00:00:00Z" };
  return { stream: "notes", key, emitted_at: "2026-05-01T00:00:00Z", data };
}

function changed(id: string) {
  return { id, body: "changed meanwhile", written_at: "2026-05-02T00:00:00Z" };
}
