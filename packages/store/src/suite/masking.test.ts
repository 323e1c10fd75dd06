/** Under a scope that masks, the masked text is the text (R82): a store that was given the masked records answers the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  describeStream,
  type Grant,
  type ReadScope,
  type RecordEnvelope,
  type StreamMasks,
  type StreamScope,
} from "@rungs/contract";
import { requireQuery } from "@rungs/evidence";
import { engines, testOnEachEngine } from "../../../../testing/engines.ts";
import { Random } from "../../../../testing/random.ts";
import { readSize } from "../../../../testing/sizes.ts";
import { createManifest } from "../../../../testing/store/manifests.ts";
import { Oracle } from "../../../../testing/store/oracle.ts";
import { randomRecord } from "../../../../testing/store/random-data.ts";
import { CONNECTIONS, randomScope, STREAMS } from "../../../../testing/store/random-questions.ts";
import {
  createOwner,
  createTestGrant,
  ingest,
  message,
  OWNER,
  refOf,
  removal,
  scopeOver,
} from "../../../../testing/store/world.ts";
import { createStreamMasker } from "../masks/stream-masker.ts";
import type { Store } from "../store.ts";
import { answersOf, randomQuestions } from "./answers.ts";

const ROUNDS = readSize("RUNGS_MASKING_ROUNDS");
const SEED = Number(process.env.RUNGS_MASKING_SEED ?? 1);
const EMAIL = { kinds: ["email" as const], words: ["river", "東京"], expressions: ["qua[rt]+z"] };
const MASKS: Readonly<Record<string, StreamMasks>> = {
  messages: { ...EMAIL, fields: ["from", "subject", "body", "parts", "code", "payload", "raw"] },
  labels: { ...EMAIL, fields: ["name"] },
  events: { ...EMAIL, fields: ["detail"] },
  meters: { ...EMAIL, fields: ["place"] },
  files: { ...EMAIL, fields: ["name", "text"] },
  marks: { ...EMAIL, fields: ["text"] },
};

for (const create of Object.values(engines)) {
  test(`R82 reads under masks answer as a store of the masked records does (${create.name})`, async () => {
    const places = [await create(), await create()];
    const stores = await Promise.all(
      places.map((place) => place.open({ now: () => new Date(1_767_225_600_000) })),
    );
    try {
      await compareWithMaskedStore(...(stores as [Store, Store]));
    } finally {
      for (const store of stores) await store.close();
      for (const place of places) await place.remove();
    }
  });
}

async function compareWithMaskedStore(store: Store, reference: Store): Promise<void> {
  const random = new Random(SEED);
  const oracle = new Oracle(createManifest());
  for (const each of [store, reference]) await createOwner(each, { connections: CONNECTIONS });
  for (const connection_id of CONNECTIONS) oracle.putConnection(OWNER, connection_id);
  const secret = await store.getSecret("masks", () => "secret");
  const maskers = Object.fromEntries(
    STREAMS.map((name) => {
      const stream = createManifest().streams.find((each) => each.name === name);
      assert.ok(stream);
      return [name, createStreamMasker(describeStream(stream), MASKS[name] as StreamMasks, `${secret}\n1`)];
    }),
  );
  const write = async () => {
    const connection_id = random.pick(CONNECTIONS);
    const held = oracle.recordsOf(OWNER).filter(({ ref }) => ref.connection_id === connection_id);
    const batch = random.times(random.pick([1, 2, 9]), () => randomEnvelope(random, held));
    const masked = batch.map((each) =>
      each.data ? { ...each, data: maskers[each.stream]?.maskData(each.data) as object } : each,
    ) as RecordEnvelope[];
    await store.ingest(OWNER, connection_id, batch);
    await reference.ingest(OWNER, connection_id, masked);
    oracle.ingest(OWNER, connection_id, masked, "2026-01-01T00:00:00.000Z");
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let writes = 0; writes < 4; writes += 1) await write();
    // Records of the first rounds are copied, while others are written; later ones follow as they are written.
    if (round === 3) await store.putGrant(OWNER, grantWith(MASKS));
    if (round === 4) for (let step = 0; step < 6; step += 1) await store.copyMasked(OWNER);
    if (round === 5) await copyAll(store);
    if (round < 5) continue;
    const plain = withoutConditions(randomScope(random, oracle, OWNER));
    const scope: ReadScope = {
      ...plain,
      streams: plain.streams.map((entry) => ({ ...entry, masks: MASKS[entry.stream] })),
    };
    const questions = randomQuestions(random, oracle, plain, [0]);
    const [answers, expected] = [
      await answersOf(store, scope, questions),
      await answersOf(reference, plain, questions),
    ].map((text) => text.replace(/"position": \d+/g, ""));
    const [lines, others] = [answers, expected].map((text) => String(text).split("\n"));
    const at = lines?.findIndex((line, number) => line !== others?.[number]) ?? -1;
    const place = [lines, others].map((each) => each?.slice(Math.max(0, at - 8), at + 4));
    assert.ok(
      answers === expected,
      `RUNGS_MASKING_SEED=${SEED}, round ${round}: ${JSON.stringify(place, null, 1)}`,
    );
  }
  assert.deepEqual(await store.check(OWNER), []);
}

/** Conditions compare what is masked (below); a store of masked records does not have it. */
function withoutConditions({ owner_id, streams }: ReadScope): ReadScope {
  return { owner_id, streams: streams.map(omitConditions) };
}

type Limits = Pick<StreamScope, "where" | "never" | "within">;

function omitConditions<Each extends Limits>(
  limits: Each,
): Omit<Each, keyof Limits> & Pick<Limits, "within"> {
  const { where: _, never: __, within = [], ...entry } = limits;
  return within.length === 0 ? entry : { ...entry, within: within.map(omitConditions) };
}

function randomEnvelope(random: Random, held: ReturnType<Oracle["recordsOf"]>): RecordEnvelope {
  const emitted_at = new Date(1_767_225_600_000 + random.int(0, 1000) * 1000).toISOString();
  const old = held.length > 0 && random.chance(0.5) ? random.pick(held) : undefined;
  if (old?.ref.stream !== "messages")
    return randomRecord(random, random.pick(STREAMS), undefined, emitted_at);
  if (random.chance(0.3)) return removal("messages", old.ref.record_id, emitted_at);
  // A new version of all fields: the oracle holds the masked values of the old one.
  const { data = {} } = randomRecord(random, "messages", undefined, emitted_at);
  return message(old.ref.record_id, { ...data, id: old.ref.record_id }, emitted_at);
}

function grantWith(masks: Readonly<Record<string, StreamMasks>>, grant_id = "masked"): Grant {
  const [detail] = createTestGrant(grant_id).authorization_details;
  assert.ok(detail);
  const streams = Object.entries(masks).map(([name, each]) => ({
    name,
    instance_ids: CONNECTIONS,
    fields: ["id"],
    masks: each,
  }));
  return createTestGrant(grant_id, { authorization_details: [{ ...detail, streams }] });
}

async function copyAll(store: Store): Promise<void> {
  while ((await store.copyMasked(OWNER)).state === "progress");
}

const masks: StreamMasks = { fields: ["id", "subject", "body", "attachment"], kinds: ["phone", "email"] };
const scope = scopeOver("messages", { masks });

testOnEachEngine(
  "R82 reads wait until the copy is complete, and it goes with its last grant",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [message("a", { subject: "call +49 171 2345678" })]);
    await store.putGrant(OWNER, grantWith({ messages: masks }));
    const before = await listTables(store);
    await assert.rejects(store.getRecord(scope, refOf("a")), { code: "masking_unfinished" });
    await assert.rejects(store.readField(scope, refOf("a"), "subject", { start: 0, end: 9 }), {
      code: "masking_unfinished",
    });
    await copyAll(store);
    const { data } = (await store.getRecord(scope, refOf("a"))) ?? {};
    assert.match(String(data?.subject), /^call \[phone-[b-z]{8}\]$/);
    await store.revokeGrant(OWNER, "masked", "2026-01-02T00:00:00.000Z");
    await copyAll(store);
    assert.deepEqual(await listTables(store), before);
    assert.deepEqual(await store.check(OWNER), []);
  },
);

testOnEachEngine(
  "R82 a preview masks records as the copy has them, before there is one",
  async ({ store }) => {
    await createOwner(store);
    const long = `${"The roof leaks. ".repeat(600)} Call +49 171 2345678.`;
    await ingest(store, [
      message("jo@example.org", {
        subject: "call +49 171 2345678",
        note: "call +49 171 2345678",
        body: long,
      }),
    ]);
    const whole = scopeOver();
    const limits = { value_chars: 2_000, record_chars: 4_000 };
    const original = await store.getRecord(whole, refOf("jo@example.org"), undefined, limits);
    assert.ok(original);
    const [shown] = await store.maskRecords(OWNER, masks, [original]);
    await store.putGrant(OWNER, grantWith({ messages: masks }));
    await copyAll(store);
    const copied = await store.getRecord(scope, refOf(String(shown?.record_id)), undefined, limits);
    assert.match(String(shown?.record_id), /^\[key-/);
    assert.match(String(shown?.data.subject), /^call \[phone-[b-z]{8}\]$/);
    assert.equal(shown?.data.note, "call +49 171 2345678", "a field that is not masked");
    assert.deepEqual(shown?.data, copied?.data);
    assert.deepEqual(
      shown?.cuts.map(({ path, head }) => [path, head]),
      copied?.cuts.map(({ path, head }) => [path, head]),
    );
    assert.deepEqual(await store.maskRecords(OWNER, masks, []), []);
  },
);

testOnEachEngine("R82 a key with a masked value is a code, for every read and write", async ({ store }) => {
  await createOwner(store);
  await store.putGrant(OWNER, grantWith({ messages: masks }));
  await copyAll(store);
  await ingest(store, [message("jo@example.org", { subject: "one" }), message("b", { subject: "two" })]);
  const query = requireQuery("one");
  const { hits } = await store.search(scope, { query, limit: 9 });
  const key = String(hits[0]?.record_id);
  assert.match(key, /^\[key-[b-z]{20}\]$/);
  assert.equal((await store.getRecord(scope, refOf(key)))?.data.subject, "one");
  assert.equal(await store.getRecord(scope, refOf("jo@example.org")), undefined);
  const named = scopeOver("messages", { masks, record_ids: ["jo@example.org"] });
  const page = await store.listRecords(named, {
    connection_id: "mail",
    stream: "messages",
    order: "asc",
    limit: 9,
  });
  assert.deepEqual(
    page.records.map(({ record_id }) => record_id),
    [key],
  );
  await ingest(store, [removal("messages", "jo@example.org")]);
  assert.equal(await store.getRecord(scope, refOf(key)), undefined);
  await store.deleteRecord(OWNER, "mail", "messages", "b");
  assert.equal((await store.describeStreams(scope))[0]?.record_count, 0);
});

testOnEachEngine("R82 R70 files and encoded bytes of masked fields are withheld", async ({ store }) => {
  await createOwner(store);
  const blob = await store.putBlob(
    OWNER,
    "mail",
    (async function* () {
      yield Buffer.from("call +49 171 2345678");
    })(),
    "text/plain",
  );
  const raw = Buffer.from("call +49 171 2345678").toString("base64");
  const all = { fields: ["attachment", "raw", "subject"], kinds: ["phone" as const] };
  const masked = scopeOver("messages", { masks: all });
  await store.putGrant(OWNER, grantWith({ messages: all }));
  await copyAll(store);
  await ingest(store, [message("a", { attachment: { ...blob, filename: "+49 171 2345678.txt" }, raw })]);
  const { data } = (await store.getRecord(masked, refOf("a"))) ?? {};
  assert.match(
    JSON.stringify(data?.attachment),
    /^\{"mime_type":"text\/plain","filename":"\[phone-[a-z]+\]\.txt"\}$/,
  );
  assert.match(String(data?.raw), /^\[bytes-/);
  assert.equal(await store.describeBlob(masked, blob.blob_id), undefined);
  assert.ok(await store.describeBlob(scopeOver(), blob.blob_id));
});

testOnEachEngine("R82 windows of any size, joined, are the masked field", async ({ store }) => {
  await createOwner(store);
  await store.putGrant(OWNER, grantWith({ messages: masks }));
  await copyAll(store);
  const random = new Random(SEED);
  const value = () =>
    random.pick([`p${random.int(0, 9)}@${"x".repeat(random.int(1, 60))}.org`, "+49 171 2345678", "東京 "]);
  const body = random.times(3000, () => `${value()} word🦅 `).join("");
  await ingest(store, [message("a", { body })]);
  const facts = await store.describeField(scope, refOf("a"), "body");
  assert.ok(facts);
  for (let size = 1; size < 9_000; size = size * 3 + 1) {
    const start = random.int(0, facts.size_chars - size);
    const windows: string[] = [];
    for (let from = start; from < Math.min(start + 30 * size, facts.size_chars); from += size)
      windows.push(
        (await store.readField(scope, refOf("a"), "body", { start: from, end: from + size }))?.text ?? "",
      );
    const end = Math.min(start + Math.ceil(30) * size, facts.size_chars);
    const joined = windows.join("");
    const whole = await store.readField(scope, refOf("a"), "body", { start, end });
    assert.equal(joined.slice(0, whole?.text.length), whole?.text);
    assert.doesNotMatch(joined, /@x|\+49 1/);
  }
});

async function listTables(store: Store): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  await store.dump(async ({ table, rows }) => {
    if (table !== "secrets" && table !== "grants") counts[table] = (counts[table] ?? 0) + rows.length;
  });
  return counts;
}

testOnEachEngine("R80 R81 R82 conditions and exclusions compare what is masked", async ({ store }) => {
  await createOwner(store);
  const byCode: StreamMasks = { fields: ["code"], kinds: ["email"] };
  await ingest(store, [message("before", { code: "Doctor@clinic.example" })]);
  await store.putGrant(OWNER, grantWith({ messages: byCode }));
  await copyAll(store);
  await ingest(store, [
    message("after", { code: "doctor@clinic.example" }),
    message("b", { code: "ann@x.example" }),
  ]);
  const list = async (limits: Partial<StreamScope>) => {
    const request = { connection_id: "mail", stream: "messages", order: "asc" as const, limit: 9 };
    const { records } = await store.listRecords(scopeOver("messages", { masks: byCode, ...limits }), request);
    assert.ok(!JSON.stringify(records).includes("@"));
    return records.map(({ record_id }) => record_id);
  };
  const doctor = { field: "code", op: "equals" as const, value: "doctor@clinic.example" };
  assert.deepEqual(await list({ never: { conditions: [doctor], record_ids: [] } }), ["b"]);
  assert.deepEqual(await list({ where: [doctor] }), ["after", "before"]);
  await ingest(store, [message("b", { code: "doctor@clinic.example" })]);
  assert.deepEqual(await list({ never: { conditions: [doctor], record_ids: [] } }), []);
  await store.rebuild(OWNER);
  await copyAll(store);
  assert.deepEqual(await list({ never: { conditions: [doctor], record_ids: [] } }), []);
});
