import assert from "node:assert/strict";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, ingest, message, OWNER, removal, scopeOver } from "../../../../testing/store/world.ts";
import type { Change, ChangesPage, ChangesPosition } from "../store.ts";
import { changes, follow, namesOf, recordOf } from "./follow-changes.ts";
import { assertRefused } from "./refusals.ts";

const IN_RANGE = "2026-05-05T00:00:00Z";
const OUT_OF_RANGE = "2020-05-05T00:00:00Z";
const RANGE = { since_ms: Date.UTC(2026, 0, 1), until_ms: Date.UTC(2027, 0, 1) };
const clock = { now: new Date("2026-06-06T00:00:00.000Z") };
const options = { now: () => clock.now };

testOnEachEngine(
  "the first session lists every record, the next only what changed since",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [message("a", { subject: "1" }), message("b", { subject: "1" })]);
    const first = await changes(store, scopeOver());
    assert.deepEqual(namesOf(first.changes), ["a", "b"]);
    assert.deepEqual(namesOf((await changes(store, scopeOver(), { since: first.horizon })).changes), []);
    await ingest(store, [
      message("c", { subject: "1" }),
      message("a", { subject: "2" }),
      message("b", { subject: "1" }),
    ]);
    const second = await changes(store, scopeOver(), { since: first.horizon });
    assert.deepEqual(namesOf(second.changes), ["c", "a"]);
    assert.deepEqual(recordOf(second.changes[1])?.data, { id: "a", subject: "2" });
  },
);

testOnEachEngine(
  "a deleted record leaves a tombstone; added again, it is a record again",
  async ({ store }) => {
    await createOwner(store);
    await ingest(store, [message("a"), message("b")]);
    const { horizon } = await changes(store, scopeOver());
    clock.now = new Date("2026-07-07T07:07:07.000Z");
    await ingest(store, [removal("messages", "a", "2026-07-01T00:00:00Z")]);
    const gone = await changes(store, scopeOver(), { since: horizon });
    assert.deepEqual(gone.changes, [
      {
        kind: "tombstone",
        record_id: "a",
        deleted_at: "2026-07-07T07:07:07.000Z",
        emitted_at: "2026-07-01T00:00:00Z",
      },
    ]);
    await ingest(store, [message("a", { subject: "back" })]);
    assert.deepEqual(namesOf((await changes(store, scopeOver(), { since: horizon })).changes), ["a"]);
    assert.deepEqual(namesOf((await changes(store, scopeOver(), { since: gone.horizon })).changes), ["a"]);
    assert.deepEqual(namesOf((await changes(store, scopeOver())).changes), ["b", "a"]);
  },
  options,
);

testOnEachEngine(
  "all pages of a session share one horizon; later changes are for the next session",
  async ({ store }) => {
    await createOwner(store);
    await ingest(
      store,
      Array.from({ length: 10 }, (_, at) => message(`k${at}`, { subject: "1" })),
    );
    const first = await changes(store, scopeOver(), { limit: 4 });
    await ingest(store, [
      message("k9", { subject: "2" }),
      message("new"),
      removal("messages", "k8"),
      message("k0", { subject: "2" }),
    ]);
    const rest: Change[] = [];
    let after: ChangesPosition | undefined = first.next;
    while (after) {
      const page: ChangesPage = await changes(store, scopeOver(), {
        limit: 4,
        after,
        horizon: first.horizon,
      });
      assert.equal(page.horizon, first.horizon);
      rest.push(...page.changes);
      after = page.next;
    }
    assert.ok(!namesOf(rest).includes("new"));
    assert.ok(!namesOf(rest).includes("-k8"));
    const next = await changes(store, scopeOver(), { since: first.horizon });
    assert.deepEqual(new Set(namesOf(next.changes)), new Set(["k9", "new", "-k8", "k0"]));
    const seen = new Set([...namesOf(first.changes), ...namesOf(rest), ...namesOf(next.changes)]);
    for (const id of ["k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k9", "new"])
      assert.ok(seen.has(id), id);
  },
);

testOnEachEngine(
  "a client that follows the sessions always holds what the scope covers",
  async ({ store }) => {
    await createOwner(store);
    const scope = scopeOver("messages", { time: RANGE, fields: ["id", "subject", "sent_at"] });
    const copy = new Map<string, unknown>();
    let since = 0;
    for (let round = 0; round < 12; round += 1) {
      const batch = Array.from({ length: 6 }, (_, at) => {
        const id = `k${(round * 5 + at * 3) % 11}`;
        if ((round + at) % 4 === 0) return removal("messages", id);
        return message(id, {
          subject: `${round % 3}`,
          note: `${round}`,
          sent_at: (round + at) % 3 === 0 ? OUT_OF_RANGE : IN_RANGE,
        });
      });
      await ingest(store, batch);
      since = await follow(store, scope, since, copy);
      const { records } = await store.listRecords(scope, {
        connection_id: "mail",
        stream: "messages",
        order: "asc",
        limit: 50,
      });
      assert.deepEqual(
        new Map([...copy].sort()),
        new Map(records.map(({ record_id, data }) => [record_id, data] as const).sort()),
        `round ${round}`,
      );
    }
  },
);

testOnEachEngine("deleting tombstones expires older sessions, and newer ones continue", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [message("a", { sent_at: IN_RANGE }), message("b"), message("c")]);
  const old = await changes(store, scopeOver());
  await ingest(store, [message("a", { sent_at: OUT_OF_RANGE }), removal("messages", "a")]);
  const middle = await changes(store, scopeOver(), { since: old.horizon });
  await ingest(store, [removal("messages", "b")]);
  await store.forgetDepartures(OWNER, middle.horizon + 1);
  const refusal = await assertRefused(changes(store, scopeOver(), { since: old.horizon }), "cursor_expired");
  assert.equal(refusal.details.param, "changes_since");
  await assertRefused(changes(store, scopeOver(), { since: middle.horizon }), "cursor_expired");
  const now = await changes(store, scopeOver());
  assert.deepEqual(namesOf(now.changes), ["c", "-b"]);
  assert.deepEqual(namesOf((await changes(store, scopeOver(), { since: now.horizon })).changes), []);
  await store.forgetDepartures(OWNER, 1);
  await assertRefused(changes(store, scopeOver(), { since: old.horizon }), "cursor_expired");
  await store.putOwner("you");
  assert.deepEqual((await changes(store, scopeOver("messages", {}, "you"), { since: 1 })).changes, []);
});

testOnEachEngine("a session may request some fields: only changes of these are listed", async ({ store }) => {
  await createOwner(store);
  await ingest(store, [message("a", { subject: "1", label: "1" })]);
  const { horizon } = await changes(store, scopeOver());
  await ingest(store, [message("a", { subject: "1", label: "2" })]);
  assert.deepEqual(
    (await changes(store, scopeOver(), { since: horizon, fields: ["id", "subject"] })).changes,
    [],
  );
  const page = await changes(store, scopeOver(), { since: horizon, fields: ["label"] });
  assert.deepEqual(recordOf(page.changes[0])?.data, { label: "2" });
});
