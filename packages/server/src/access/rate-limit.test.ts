import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiError } from "@rungs/contract";
import { createRateLimit } from "./shares.ts";

test("allows a burst, then the refill rate, separately for each key", () => {
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

test("a clock that goes back neither adds nor blocks requests", () => {
  let now = 10_000;
  const take = createRateLimit({ burst: 1, per_second: 1 }, () => now);
  take("a");
  now = 0;
  assert.throws(() => take("a"), { code: "rate_limited" });
  now += 1_000;
  take("a");
});

test("drops the buckets of unused keys", () => {
  let now = 0;
  const take = createRateLimit({ burst: 1, per_second: 1 }, () => now);
  for (let key = 0; key < 30_000; key += 1) {
    take(String(key));
    now += 10;
  }
  assert.throws(() => take("29999"), { code: "rate_limited" }, "those in use are not");
});
