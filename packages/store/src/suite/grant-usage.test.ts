import assert from "node:assert/strict";
import { testOnEachEngine } from "../../../../testing/engines.ts";
import { createOwner, OWNER } from "../../../../testing/store/world.ts";

const DAY = "2026-01-01";

testOnEachEngine(
  "R83 a budget is never exceeded, however many readers spend it at once",
  async ({ store, place }) => {
    await createOwner(store);
    const other = await place.open();
    const budget = { records: 100, bytes_per_day: 1_000 };
    const spend = (at: number) =>
      (at % 2 ? store : other).spendBudget(OWNER, "g", budget, { day: DAY, records: 3, bytes: 40 });
    const outcomes = await Promise.all(Array.from({ length: 40 }, (_, at) => spend(at)));
    assert.equal(outcomes.filter(({ is_spent }) => is_spent).length, 25);
    const used = { day: DAY, day_records: 75, day_bytes: 1_000, records: 75, bytes: 1_000 };
    assert.deepEqual(await store.getUsage(OWNER, "g", DAY), used);
    await other.close();
  },
);

testOnEachEngine(
  "R83 a day starts at zero, the total goes on, and a day never comes back",
  async ({ store }) => {
    await createOwner(store);
    const budget = { bytes_per_day: 10, bytes: 15 };
    const spend = async (day: string, bytes: number) =>
      (await store.spendBudget(OWNER, "g", budget, { day, records: 1, bytes })).is_spent;
    assert.equal(await spend(DAY, 10), true);
    assert.equal(await spend(DAY, 1), false);
    assert.equal(await spend("2026-01-02", 6), false);
    assert.equal(await spend("2026-01-02", 5), true);
    assert.equal(await spend(DAY, 0), true);
    const usage = await store.getUsage(OWNER, "g", DAY);
    assert.deepEqual(usage, { day: "2026-01-02", day_records: 2, day_bytes: 5, records: 3, bytes: 15 });
    assert.equal((await store.getUsage(OWNER, "g", "2026-01-03")).day_bytes, 0);
    assert.equal((await store.getUsage(OWNER, "other", DAY)).records, 0);
  },
);
