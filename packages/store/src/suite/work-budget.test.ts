/** Every read has a work budget that is checked while it works (R56). */
import assert from "node:assert/strict";
import { requireQuery } from "@rungs/evidence";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, scopeOver } from "../../../../testing/store/world.ts";
import type { Store, StoreOptions } from "../store.ts";
import { assertRefused } from "./refusals.ts";

const PAGE = { connection_id: "mail", stream: "messages" };

/** Reads that exceed a budget, each with the exceeded limit. */
const COSTLY: Readonly<
  Record<
    string,
    { limits: NonNullable<StoreOptions["work_limits"]>; read: (store: Store) => Promise<unknown> }
  >
> = {
  "a list": {
    limits: { rows: 50 },
    read: (store) => store.listRecords(scopeOver(), { ...PAGE, order: "asc", limit: 100 }),
  },
  "an aggregate with a group for each record": {
    limits: { rows: 50 },
    read: (store) =>
      store.aggregate(scopeOver(), { ...PAGE, metric: "count", group_by: "size_bytes", limit: 10 }),
  },
  changes: {
    limits: { rows: 50 },
    read: (store) => store.listChanges(scopeOver(), { ...PAGE, since: 0, limit: 100 }),
  },
  "a search with a wide filter": {
    limits: { rows: 50 },
    read: (store) =>
      store.search(scopeOver(), {
        query: requireQuery("word1"),
        limit: 10,
        filters: [{ ...PAGE, filters: [{ field: "size_bytes", op: ">=", value: 0 }] }],
      }),
  },
  "a search in many blocks": {
    limits: { blocks: 2 },
    read: (store) => store.search(scopeOver(), { query: requireQuery("word1 word2 word3"), limit: 10 }),
  },
  "anything, after its time": {
    limits: { milliseconds: -1 },
    read: (store) => store.listRecords(scopeOver(), { ...PAGE, order: "asc", limit: 1 }),
  },
};

testOnEachEngine(
  "R56 a read beyond its work budget is refused, and says what to narrow",
  async ({ store, place }) => {
    await createOwner(store);
    await ingest(
      store,
      Array.from({ length: 120 }, (_, at) =>
        message(`m${at}`, {
          size_bytes: at,
          body: `word${at} word${at % 7} ${"x".repeat(30)}${at}`,
          sent_at: new Date(1.7e12 + at * 1_000).toISOString(),
        }),
      ),
    );
    for (const [name, { limits, read }] of Object.entries(COSTLY)) {
      assert.ok(await read(store), name);
      const limited = await place.open({ work_limits: limits });
      await assertRefused(() => read(limited), "work_limit_exceeded");
      await limited.close();
    }
  },
);

testOnEachEngine("R56 a read ends when its caller is gone", async ({ place }) => {
  let gone = false;
  const store = await place.open({ cancelled: () => gone });
  await createOwner(store);
  await ingest(store, [message("a", { body: "word" })]);
  assert.equal((await store.search(scopeOver(), { query: requireQuery("word"), limit: 1 })).count, 1);
  gone = true;
  await assertRefused(
    () => store.search(scopeOver(), { query: requireQuery("word"), limit: 1 }),
    "read_cancelled",
  );
  await store.close();
});
