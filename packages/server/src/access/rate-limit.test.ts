import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiError } from "@rungs/contract";
import { createRateLimit } from "./rate-limit.ts";

test("a burst passes, then as many as come back in time, each key for itself", () => {
  let now = 0;
  const take = createRateLimit({ burst: 2, per_second: 10 }, () => now);
  take("a");
  take("a");
  assert.throws(
    () => take("a"),
    (error: ApiError) => {
      assert.deepEqual([error.code, error.details.retry_after_seconds], ["rate_limited", 1]);
      return true;
    },
  );
  take("b");
  now += 100;
  take("a");
  assert.throws(() => take("a"), { code: "rate_limited" });
  now += 60_000;
  take("a");
  take("a");
  assert.throws(() => take("a"), { code: "rate_limited" });
});

test("a clock that goes back gives nothing away, and keeps nothing back", () => {
  let now = 10_000;
  const take = createRateLimit({ burst: 1, per_second: 1 }, () => now);
  take("a");
  now = 0;
  assert.throws(() => take("a"), { code: "rate_limited" });
  now += 1_000;
  take("a");
});

test("keys that nobody uses are forgotten", () => {
  let now = 0;
  const take = createRateLimit({ burst: 1, per_second: 1 }, () => now);
  for (let key = 0; key < 30_000; key += 1) {
    take(String(key));
    now += 10;
  }
  assert.throws(() => take("29999"), { code: "rate_limited" }, "those in use are not");
});
