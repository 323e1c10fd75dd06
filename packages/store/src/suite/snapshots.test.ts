/** Reads during writes: each sees one state of the data, never a mixture. */
import assert from "node:assert/strict";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, OWNER, refOf, scopeOver } from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";

const RECORDS = 20;
const long = (word: string) => `${word} `.repeat(2_000);
const state = (word: string) =>
  Array.from({ length: RECORDS }, (_, at) =>
    message(`k${at}`, { subject: word, body: at === 0 ? long(word) : word, label: word }),
  );

testOnEachEngine(
  "R51 a read sees all of a batch or none of it, while it is written and merged",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, state("day"));
    let writing = true;
    const write = async () => {
      for (let round = 0; round < 6; round += 1) {
        await ingest(store, state(round % 2 === 0 ? "night" : "day"));
        if (round % 3 === 2) await store.tidy(OWNER);
      }
      writing = false;
    };
    const read = async () => {
      while (writing) {
        await assertOneState(store);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await Promise.all([write(), read(), read()]);
    assert.deepEqual(await store.check(OWNER), []);
  },
);

async function assertOneState(store: Store): Promise<void> {
  const at = { connection_id: "mail", stream: "messages" };
  const counts = await Promise.all(
    ["day", "night"].map((q) => store.search(scopeOver(), { query: requireQuery(q), limit: 3 })),
  );
  for (const { count, hits } of counts) {
    assert.ok(count === 0 || count === RECORDS, `${count} of ${RECORDS}`);
    for (const { proofs, data } of hits) {
      assert.ok(proofs.length > 0, "matches are proven");
      assert.equal(data.subject, data.label);
    }
  }
  const { records } = await store.listRecords(scopeOver(), { ...at, order: "asc", limit: 100 });
  assert.equal(new Set(records.map(({ data }) => data.label)).size, 1);
  const { groups } = await store.aggregate(scopeOver(), {
    ...at,
    metric: "count",
    group_by: "label",
    limit: 5,
  });
  assert.deepEqual(
    groups.map(({ value }) => value),
    [RECORDS],
  );
  const slice = await store.readField(scopeOver(), refOf("k0"), "body", { start: 3_990, end: 8_010 });
  assert.equal(new Set(slice?.text.trim().split(" ").slice(1, -1)).size, 1);
}
