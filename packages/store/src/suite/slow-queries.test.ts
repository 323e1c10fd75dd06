/** The log of slow statements: statement, duration, rows and plan; never content (R140). */
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { test } from "node:test";
import { requireQuery } from "@rungs/evidence";
import { engines, type Place } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, OWNER, refOf, scopeOver } from "../../../../testing/store/world.ts";
import { until } from "../../../../testing/until.ts";
import { describeStatement } from "../slow-queries.ts";
import type { SlowQuery, StoreOptions } from "../store.ts";

/** Each has the mark, which no line of the log may have. */
const MARK = "zqx";
const HOSTILE = [
  `${MARK}word`,
  `'; DROP TABLE records; -- ${MARK}`,
  `$1 ${MARK} '' \\' "quoted" {"Node Type": "${MARK}"}`,
  `漢字${MARK}😀\n${MARK}\t`,
];

const requests = new AsyncLocalStorage<string>();

for (const engine of Object.keys(engines) as Place["engine"][])
  test(`R140 slow statements are logged with plan and request, and without any word of data (${engine})`, async (t) => {
    const place = await engines[engine]();
    const noted: (SlowQuery & { request: string | undefined })[] = [];
    const report = (query: SlowQuery) => void noted.push({ ...query, request: requests.getStore() });
    const options: StoreOptions = { workers: 1, slow_queries: { from_ms: 0, report } };
    const store = await place.open(options);
    t.after(async () => {
      await store.close();
      await place.remove();
    });
    await createOwner(store);
    await ingest(
      store,
      HOSTILE.map((text, at) => message(`${at} ${MARK}`, { subject: text, body: `${text} `.repeat(2_000) })),
    );
    const scope = scopeOver();
    for (const text of HOSTILE) {
      await requests.run(`search ${HOSTILE.indexOf(text)}`, () =>
        store.search(scope, { query: requireQuery(text), limit: 10 }),
      );
      await store.findAccess(text).catch(() => undefined);
      await store.claimOnce(OWNER, text, Date.now() + 1_000);
      await store.getGrant(OWNER, text);
    }
    await requests.run("window", () =>
      store.readField(scope, refOf(`0 ${MARK}`), "body", { start: 0, end: 100 }),
    );
    await store.getRecord(scope, refOf(`1 ${MARK}`));
    await until(() => noted.some(({ request }) => request === "window"));
    assert.doesNotMatch(JSON.stringify(noted), new RegExp(MARK));
    const ofSearch = noted.filter(({ request }) => request === "search 0");
    assert.ok(ofSearch.length > 3, `${ofSearch.length} statements of a search in a thread`);
    assert.ok(noted.some(({ statement }) => /^INSERT/.test(statement)));
    const planned = noted.find(({ statement, plan }) => /FROM blocks/.test(statement) && plan.length > 0);
    assert.match(
      planned?.plan.join("\n") ?? "",
      engine === "sqlite" ? /SEARCH blocks USING/ : /Index Scan using blocks_pkey on blocks/,
    );
    assert.ok(noted.every((each) => each.engine === engine && each.duration_ms >= 0 && each.rows >= 0));
  });

test("R140 a fast statement is not logged", async (t) => {
  const place = await engines.sqlite();
  const noted: SlowQuery[] = [];
  const report = (query: SlowQuery) => void noted.push(query);
  const store = await place.open({ slow_queries: { from_ms: 600_000, report } });
  t.after(async () => {
    await store.close();
    await place.remove();
  });
  await createOwner(store);
  assert.deepEqual(noted, []);
});

test("R140 a logged statement omits quoted text", () => {
  assert.equal(
    describeStatement(`SELECT a\n  FROM b WHERE c = 'it''s ${MARK}' AND d = $1 AND e = ''`),
    "SELECT a FROM b WHERE c = '…' AND d = $1 AND e = '…'",
  );
});
