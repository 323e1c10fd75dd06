import assert from "node:assert/strict";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { OWNER } from "../../../../testing/store/world.ts";
import type { Store } from "../store.ts";

testOnEachEngine("a state is kept until it is replaced, and belongs to one owner", async ({ store }) => {
  for (const owner of [OWNER, "you"]) await store.putOwner(owner);
  await store.putState(OWNER, { kind: "import", id: "b", value: { at: [1, "two", null] } });
  await store.putState(OWNER, { kind: "import", id: "a", value: "first", bundle: "x" });
  await store.putState(OWNER, { kind: "import", id: "a", value: "second" });
  await store.putState("you", { kind: "import", id: "a", value: "yours" });
  const a = { kind: "import", id: "a", value: "second" };
  const b = { kind: "import", id: "b", value: { at: [1, "two", null] } };
  assert.deepEqual(await store.getState(OWNER, "import", "a"), a);
  assert.deepEqual(await store.listState(OWNER, "import"), [a, b]);
  assert.equal(await store.getState(OWNER, "other", "a"), undefined);
  await store.deleteState(OWNER, "import", "a");
  assert.deepEqual(await store.listState(OWNER, "import"), [b]);
  assert.equal((await store.getState("you", "import", "a"))?.value, "yours");
});

testOnEachEngine("one of many concurrent callers takes a state", async ({ store, place }) => {
  await store.putOwner(OWNER);
  await store.putState(OWNER, { kind: "code", id: "once", value: 7 });
  const other = await place.open();
  try {
    const taken = await Promise.all(
      [store, other, store, other, store].map((each) => each.takeState(OWNER, "code", "once")),
    );
    assert.deepEqual(
      taken.filter((each) => each !== undefined),
      [{ kind: "code", id: "once", value: 7 }],
    );
    assert.equal(await other.getState(OWNER, "code", "once"), undefined);
  } finally {
    await other.close();
  }
});

let clock = Date.parse("2026-01-01T00:00:00Z");
testOnEachEngine(
  "R53 one of many concurrent callers on all processes claims a key, until it expires",
  async ({ store, place }) => {
    for (const owner of [OWNER, "you"]) await store.putOwner(owner);
    const other = await place.open({ now: () => new Date(clock) });
    const claim = async (key: string, expires_at_ms: number) =>
      (
        await Promise.all(
          [store, other, store, other, store].map((each) => each.claimOnce(OWNER, key, expires_at_ms)),
        )
      ).filter(Boolean).length;
    try {
      assert.deepEqual([await claim("a", clock + 10), await claim("a", clock + 10)], [1, 0]);
      assert.equal(await claim("b", clock + 1_000), 1);
      assert.equal(await store.claimOnce("you", "a", clock + 10), true, "another owner's key is another key");
      clock += 10;
      assert.deepEqual([await claim("a", clock + 10), await claim("b", clock + 10)], [1, 0]);
    } finally {
      await other.close();
    }
  },
  { now: () => new Date(clock) },
);

testOnEachEngine(
  "an expired state is not read, listed or taken, and a bundle is deleted at once",
  async ({ store }) => {
    await store.putOwner(OWNER);
    const put = (id: string, expires_at_ms?: number, bundle?: string) =>
      store.putState(OWNER, { kind: "k", id, value: id, expires_at_ms, bundle });
    await put("short", clock + 10, "family");
    await put("long", clock + 1000, "family");
    await put("ever", undefined, "other");
    assert.equal((await store.getState(OWNER, "k", "short"))?.expires_at_ms, clock + 10);
    clock += 10;
    assert.equal(await store.getState(OWNER, "k", "short"), undefined);
    assert.equal(await store.takeState(OWNER, "k", "short"), undefined);
    assert.deepEqual(
      (await store.listState(OWNER, "k")).map(({ id }) => id),
      ["ever", "long"],
    );
    await store.deleteBundle(OWNER, "family");
    assert.deepEqual(
      (await store.listState(OWNER, "k")).map(({ id }) => id),
      ["ever"],
    );
  },
  { now: () => new Date(clock) },
);

testOnEachEngine(
  "servers that share a database change its shared values one after the other",
  async ({ store, place }) => {
    for (const owner of [OWNER, "you"]) await store.putOwner(owner);
    clock = Date.parse("2026-01-01T00:00:00Z");
    const now = () => new Date(clock);
    const [one, other] = [await place.open({ now }), await place.open({ now })];
    const count = (from: Store, owner = OWNER) =>
      from.changeShared(owner, "count", (value) => {
        const result = Number(value ?? 0) + 1;
        return { value: result, kept_ms: 10, result };
      });
    try {
      // SQLite has one server, with the values in its memory.
      const servers = place.engine === "sqlite" ? [one, one] : [one, other];
      const counts = await Promise.all(
        Array.from({ length: 20 }, (_, at) => count(servers[at % 2] as Store)),
      );
      assert.deepEqual(
        counts.sort((a, b) => a - b),
        Array.from({ length: 20 }, (_, at) => at + 1),
      );
      assert.equal(await count(one, "you"), 1, "another owner's value is another value");
      const fail = one.changeShared(OWNER, "count", () => {
        throw new Error("not now");
      });
      await assert.rejects(fail, /not now/);
      assert.equal(await count(one), 21, "a change that failed is none");
      clock += 10;
      assert.equal(await count(servers[1] as Store), 1, "an expired value is forgotten");
    } finally {
      await Promise.all([one.close(), other.close()]);
    }
  },
);
