import assert from "node:assert/strict";
import type { ReadScope } from "@rungs/contract";
import { formatRecordId, requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { search } from "../../../../testing/store/matching.ts";
import { tieOf } from "../../../../testing/store/oracle-order.ts";
import { createOwner, EMITTED_AT, ingest, message, scopeOver } from "../../../../testing/store/world.ts";
import type { SearchPosition, Store, StoredHit } from "../store.ts";

/** Two keys whose tie numbers are the same. */
const TWINS = ["twin11unw", "twin1ywba"] as const;

const ids = (hits: readonly { record_id: string }[]) => hits.map(({ record_id }) => record_id);

testOnEachEngine("a match in the title counts more than one in the body", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [
    message("body", { subject: "first note", body: "about harvest time" }),
    message("title", { subject: "harvest note", body: "about other time" }),
  ]);
  assert.deepEqual(ids((await search(store, scopeOver(), "harvest")).hits), ["title", "body"]);
});

testOnEachEngine(
  "more matches in a shorter text count more, and rare words more than common ones",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [
      message("once", { body: `amber ${"x ".repeat(50)}` }),
      message("twice", { body: `amber amber ${"x ".repeat(50)}` }),
      message("long", { body: `amber ${"x ".repeat(500)}` }),
      ...Array.from({ length: 6 }, (_, at) => message(`c${at}`, { body: "common" })),
    ]);
    assert.deepEqual(ids((await search(store, scopeOver(), "amber")).hits), ["twice", "once", "long"]);
    await ingest(store, [
      message("rare", { body: "amber common common common" }),
      message("often", { body: "amber amber amber common" }),
    ]);
    assert.equal(ids((await search(store, scopeOver(), "amber common")).hits)[0], "often");
  },
);

testOnEachEngine(
  "R62 R63 an author is named by the word itself or by a near spelling, not by a form of the word",
  async ({ store }) => {
    await createOwner(store, { connections: ["mail", "work"] });
    await ingest(store, [
      ...Array.from({ length: 12 }, (_, at) => message(`f${at}`, { body: "rivers" })),
      message("rivers", { from: { name: "Rivers" }, body: "x ".repeat(200) }),
      message("quartz", { from: { name: "Quartz" }, body: "x ".repeat(200) }),
    ]);
    // The stream with the author does not contain the word.
    const words = Array.from({ length: 12 }, (_, at) => message(`w${at}`, { body: "river" }));
    await ingest(store, words, { connection_id: "work" });
    const streams = ["mail", "work"].flatMap(
      (connection_id) => scopeOver("messages", { connection_id }).streams,
    );
    const best = async (q: string) =>
      (await search(store, { owner_id: "me", streams }, q)).hits[0]?.record_id;
    assert.match((await best("river")) ?? "", /^w/);
    assert.equal(await best("rivers"), "rivers");
    assert.equal(await best("rivers quarzt"), "quartz");
  },
);

testOnEachEngine("hits with equal scores come newest first, those without a time last", async ({ store }) => {
  await createOwner(store);
  const times = [
    "2026-03-01T00:00:00Z",
    null,
    "1969-01-01T00:00:00Z",
    "2026-02-01T12:00:00+12:00",
    undefined,
    "2026-01-31T23:59:59Z",
  ];
  await ingest(
    store,
    times.map((sent_at, at) =>
      message(`m${at}`, { subject: "same", ...(sent_at === undefined ? {} : { sent_at }) }),
    ),
  );
  const { hits } = await search(store, scopeOver(), "same");
  assert.deepEqual(ids(hits).slice(0, 4), ["m0", "m3", "m5", "m2"]);
  assert.deepEqual(new Set(ids(hits).slice(4)), new Set(["m1", "m4"]));
});

testOnEachEngine("R17 a time that the scope does not cover does not affect the order", async ({ store }) => {
  await createOwner(store);
  const order = async (reverse: boolean) => {
    await ingest(
      store,
      Array.from({ length: 8 }, (_, at) =>
        message(`m${at}`, { subject: "same", sent_at: `202${reverse ? 9 - at : at}-01-01T00:00:00Z` }),
      ),
    );
    return ids((await search(store, scopeOver("messages", { fields: ["id", "subject"] }), "same")).hits);
  };
  assert.deepEqual(await order(false), await order(true));
});

testOnEachEngine(
  "R51 the earliest and latest times limit and order a search as they do a list",
  async ({ store }) => {
    await createOwner(store);
    const times = [
      -8.64e15,
      -8.64e15 + 1,
      -4_503_599_627_370_497,
      -1e11 - 1,
      0,
      4_503_599_627_370_497,
      8.64e15 - 1,
      8.64e15,
    ];
    const detail = { lines: [{ text: "same" }] };
    await ingest(
      store,
      times.map((at, number) => ({
        stream: "events",
        key: `e${number}`,
        data: { id: `e${number}`, at, detail },
        emitted_at: EMITTED_AT,
      })),
    );
    const ordered = times.map((_, number) => `e${number}`).reverse();
    assert.deepEqual(ids((await search(store, scopeOver("events"), "same")).hits), ordered);
    const limited = scopeOver("events", { time: { since_ms: 0 } });
    assert.deepEqual(ids((await search(store, limited, "same")).hits), ordered.slice(0, 4));
  },
);

testOnEachEngine(
  "joined pages have every hit exactly once, in order, for any page size",
  async ({ store }) => {
    await createOwner(store, { connections: ["mail", "work"] });
    const records = Array.from({ length: 60 }, (_, at) =>
      message(`m${at}`, {
        subject: at % 3 === 0 ? "river" : "stream",
        body: `river ${"bank ".repeat(at % 5)}`,
        ...(at % 4 === 0 ? {} : { sent_at: `2026-01-0${1 + (at % 7)}T00:00:00Z` }),
      }),
    );
    await ingest(store, records.slice(0, 40));
    await ingest(store, records.slice(20), { connection_id: "work" });
    const streams = ["mail", "work"].flatMap(
      (connection_id) => scopeOver("messages", { connection_id }).streams,
    );
    const scope = { owner_id: "me", streams };
    const all = (await search(store, scope, "river", 200)).hits;
    assert.equal(all.length, 80);
    for (const limit of [1, 7, 79, 80, 81]) {
      const joined = await collect(store, scope, "river", limit);
      assert.deepEqual(joined, all, `pages of ${limit}`);
    }
  },
);

testOnEachEngine("hits that differ only by id are paged by id", async ({ store }) => {
  await createOwner(store);
  const [first, second] = TWINS;
  assert.equal(
    tieOf({ connection_id: "mail", stream: "messages", record_id: first }),
    tieOf({ connection_id: "mail", stream: "messages", record_id: second }),
  );
  await ingest(store, [
    ...["x", "y"].map((id) => message(id, { subject: "twin" })),
    message(second, { subject: "twin" }),
    message(first, { subject: "twin" }),
  ]);
  const all = (await search(store, scopeOver(), "twin")).hits;
  assert.equal(
    all.find(({ record_id }) => record_id === first)?.position.tie,
    all.find(({ record_id }) => record_id === second)?.position.tie,
  );
  assert.ok(ids(all).indexOf(first) < ids(all).indexOf(second));
  assert.deepEqual(await collect(store, scopeOver(), "twin", 1), all);
});

testOnEachEngine("the count is exact, has_more is right, and a position survives JSON", async ({ store }) => {
  await createOwner(store);
  await ingest(
    store,
    Array.from({ length: 25 }, (_, at) => message(`m${at}`, { subject: `leaf ${"green ".repeat(at % 3)}` })),
  );
  const first = await search(store, scopeOver(), "leaf", 10);
  assert.deepEqual([first.count, first.hits.length, first.has_more], [25, 10, true]);
  const after = JSON.parse(JSON.stringify(first.hits[9]?.position)) as SearchPosition;
  const second = await store.search(scopeOver(), { query: requireQuery("leaf"), limit: 15, after });
  assert.deepEqual([second.count, second.hits.length, second.has_more], [25, 15, false]);
  assert.equal(
    first.hits[0]?.position.id,
    formatRecordId({
      connection_id: "mail",
      stream: "messages",
      record_id: first.hits[0]?.record_id ?? "",
    }),
  );
});

testOnEachEngine("an empty scope, an empty stream and an unknown stream find nothing", async ({ store }) => {
  await createOwner(store);
  const words = [{ text: "word", need: "wanted", count: 0 }];
  const nothing = { hits: [], count: 0, count_all: 0, words, has_more: false };
  for (const streams of [
    [],
    scopeOver().streams,
    scopeOver("meters").streams,
    scopeOver("messages", { stream: "none" }).streams,
  ]) {
    assert.deepEqual(await search(store, { owner_id: "me", streams }, "word"), nothing);
  }
});

async function collect(store: Store, scope: ReadScope, q: string, limit: number): Promise<StoredHit[]> {
  const hits: StoredHit[] = [];
  for (let after: SearchPosition | undefined; ; ) {
    const page = await store.search(scope, { query: requireQuery(q), limit, after });
    hits.push(...page.hits);
    after = page.hits.at(-1)?.position;
    if (!page.has_more) return hits;
  }
}
