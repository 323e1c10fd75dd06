/** Batches of any length and mixture: the store reports and holds the same as a list of last versions. */
import assert from "node:assert/strict";
import type { RecordEnvelope } from "@rungs/contract";
import { requireQuery } from "@rungs/evidence";
import fc from "fast-check";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import {
  createOwner,
  ingest,
  message,
  OWNER,
  refOf,
  removal,
  scopeOver,
} from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";

const subjects = fc.constantFrom("red", "green", "blue", undefined);
const envelope = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.nat(400), subjects)
      .map(([key, subject]) => message(`k${key}`, subject ? { subject } : {})),
  },
  { weight: 1, arbitrary: fc.nat(400).map((key) => removal("messages", `k${key}`)) },
  { weight: 1, arbitrary: fc.nat(400).map((key) => message(`k${key}`, { subject: 1 })) },
);
const batches = fc.array(fc.array(envelope, { maxLength: 700, size: "max" }), { minLength: 1, maxLength: 3 });

testOnEachEngine("keys may repeat at any distance in a batch", async ({ store }) => {
  let owner = 0;
  await fc.assert(
    fc.asyncProperty(batches, async (some) => {
      const owner_id = `owner${owner++}`;
      await createOwner(store, { owner_id });
      await assertLastVersions(store, owner_id, some);
    }),
    { numRuns: 12, endOnFailure: true },
  );
});

testOnEachEngine("a key repeats after hundreds of others, one of them rejected", async ({ store }) => {
  await createOwner(store);
  const many = Array.from({ length: 255 }, (_, at) => message(`k${at}`));
  const outcomes = await store.ingest(OWNER, "mail", [
    ...many,
    message("bad", { subject: 1 }),
    message("k0", { subject: "again" }),
  ]);
  assert.equal(outcomes.at(-1)?.status, "changed");
});

testOnEachEngine("small batches create segments that merge while records are deleted", async ({ store }) => {
  await createOwner(store);
  const scope = scopeOver();
  for (let round = 0; round < 40; round += 1) {
    await ingest(store, [
      message(`k${round}`, { subject: `round ${round}`, body: `common word${round % 5}` }),
    ]);
    if (round % 3 === 2) await ingest(store, [removal("messages", `k${round - 2}`)]);
    if (round % 16 === 15) await store.tidy(OWNER);
  }
  const left = Array.from({ length: 40 }, (_, at) => at).filter((at) => at % 3 !== 0 || at + 2 >= 40);
  const found = await store.search(scope, { query: requireQuery("common"), limit: 50 });
  assert.equal(found.count, left.length);
  assert.deepEqual(
    new Set(found.hits.map(({ record_id }) => record_id)),
    new Set(left.map((at) => `k${at}`)),
  );
  for (const at of [4, 7, 38]) {
    const one = await store.search(scope, { query: requireQuery(`"round ${at}"`), limit: 5 });
    assert.deepEqual(
      one.hits.map(({ record_id }) => record_id),
      [`k${at}`],
    );
  }
  assert.deepEqual(await store.check(OWNER), []);
});

async function assertLastVersions(
  store: Store,
  owner_id: string,
  some: readonly RecordEnvelope[][],
): Promise<void> {
  const held = new Map<string, string>();
  for (const batch of some) {
    const outcomes = await store.ingest(owner_id, "mail", batch);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      batch.map((one) => apply(held, one)),
    );
  }
  const [facts] = await store.describeStreams(scopeOver("messages", {}, owner_id));
  assert.equal(facts?.record_count, held.size);
  for (const subject of ["red", "green", "blue"]) {
    const found = await store.search(scopeOver("messages", {}, owner_id), {
      query: requireQuery(subject),
      limit: 1,
    });
    assert.equal(found.count, [...held.values()].filter((data) => data.includes(subject)).length);
  }
  for (const [key, data] of [...held].slice(0, 20)) {
    const record = await store.getRecord(scopeOver("messages", {}, owner_id), refOf(key));
    assert.equal(JSON.stringify(record?.data), data);
  }
  assert.deepEqual(await store.check(owner_id), []);
}

function apply(held: Map<string, string>, { key, data, op }: RecordEnvelope): string {
  const id = String(key);
  if (op === "delete") return held.delete(id) ? "deleted" : "unchanged";
  if (data?.subject === 1) return "rejected";
  const before = held.get(id);
  const after = JSON.stringify(data);
  held.set(id, after);
  return before === undefined ? "added" : before === after ? "unchanged" : "changed";
}
