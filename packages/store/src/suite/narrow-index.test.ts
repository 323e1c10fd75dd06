/**
 * Searches under selective conditions give the answers of a stream with only the matching records, for the same work.
 */
import assert from "node:assert/strict";
import type { Condition, RecordEnvelope, StreamScope } from "@rungs/contract";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, fieldsOf, ingest, message, OWNER, removal } from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";
import { createProse } from "./long-text.ts";

/** `all` has every record, `alone` only those that meet the condition. */
const CONNECTIONS = ["all", "alone"];
const CHOSEN: Condition = { field: "code", op: "equals", value: "chosen" };
/** More than an index is built for at the first search. */
const SELECTED = 300;
const OTHERS = 12;

const QUESTIONS = [
  "kiln",
  "kiln glaze",
  "word1*",
  '"shared kiln"',
  '"shared word1*"',
  "+glaze -kiln",
  "glase",
  "東京 駅",
  "roof leak water",
  "nowhere",
];

function createRecord(at: number, code = "chosen"): RecordEnvelope {
  const words = `shared ${at % 3 === 0 ? "kiln" : "glaze"} word${at % 50} 東京${at % 7}駅 the roof is ${at % 5 ? "dry" : "dripping"}`;
  return message(`m${at}`, {
    code,
    subject: `note ${at % 11} ${code === "chosen" ? "inside" : "outside"}`,
    body: code === "chosen" ? words : `${words} hidden${at % 40} kiln`,
    sent_at: new Date(1.7e12 + at * 60_000).toISOString(),
  });
}

/** Writes to `all`, and to `alone` what meets the condition; what leaves it is deleted there. */
async function write(store: Store, records: readonly RecordEnvelope[]): Promise<void> {
  await ingest(store, records, { connection_id: "all" });
  const shown = records.map((one) =>
    one.op === "delete" || one.data?.code === "chosen" ? one : removal(one.stream, one.key),
  );
  await ingest(store, shown, { connection_id: "alone" });
}

async function ask(store: Store, connection_id: string, q: string, limits: Partial<StreamScope> = {}) {
  const stream = { connection_id, stream: "messages", fields: fieldsOf("messages"), ...limits };
  const before = { ...store.work };
  const { hits, ...found } = await store.search(
    { owner_id: OWNER, streams: [stream] },
    { query: requireQuery(q), limit: 20 },
  );
  const { postings, terms, blocks, rows } = store.work;
  return {
    answer: { ...found, hits: hits.map(({ record_id, score, proofs }) => ({ record_id, score, proofs })) },
    work: postings - before.postings + terms - before.terms + blocks - before.blocks + rows - before.rows,
  };
}

async function assertAlike(store: Store, when: string): Promise<void> {
  for (const q of QUESTIONS) {
    const narrowed = await ask(store, "all", q, { where: [CHOSEN] });
    assert.deepEqual(narrowed.answer, (await ask(store, "alone", q)).answer, `${q} ${when}`);
  }
}

testOnEachEngine(
  "R17 R80 a search under conditions answers as a stream of only those records, whatever changes",
  async ({ store }) => {
    await createOwner(store, { connections: CONNECTIONS });
    const others = Array.from({ length: OTHERS }, (_, at) => createRecord(1_000 + at, "other"));
    await write(store, others);
    await write(store, [createRecord(0), createRecord(1)]);
    await assertAlike(store, "of two records");
    await write(
      store,
      Array.from({ length: SELECTED }, (_, at) => createRecord(at)),
    );
    for (const round of ["asked once", "asked twice"]) await assertAlike(store, round);
    await write(store, [
      createRecord(1_000),
      createRecord(2, "other"),
      removal("messages", "m3"),
      createRecord(2_000),
      message("long", { code: "chosen", subject: "kiln", body: `${createProse(20_000)} glaze` }),
    ]);
    await assertAlike(store, "after changes");
    await write(
      store,
      Array.from({ length: SELECTED }, (_, at) => createRecord(at, at % 2 ? "chosen" : "other")),
    );
    await assertAlike(store, "after half of them left");
    await store.rebuild(OWNER);
    await assertAlike(store, "after a rebuild");
    await write(
      store,
      [...others, createRecord(5, "other")].map(({ key }) => removal("messages", key)),
    );
    await store.tidy(OWNER);
    await assertAlike(store, "after deletions");
  },
);

testOnEachEngine(
  "R56 R80 a search under conditions does the work of a stream of only those records",
  async ({ store }) => {
    await createOwner(store, { connections: CONNECTIONS });
    for (let start = 0; start < 6_000; start += 1_000)
      await write(
        store,
        Array.from({ length: 1_000 }, (_, at) =>
          createRecord(start + at, at % 100 === 7 ? "chosen" : "other"),
        ),
      );
    await store.tidy(OWNER);
    const where = { where: [CHOSEN] };
    await ask(store, "all", "warm", where);
    await ask(store, "alone", "warm");
    for (const q of ["kiln", "shared glaze", "roof leak water", "word1*"]) {
      const [own, narrowed] = [await ask(store, "alone", q), await ask(store, "all", q, where)];
      assert.ok(narrowed.work <= own.work * 1.5 + 10, `${q}: ${narrowed.work}, not ${own.work}`);
    }
  },
);
