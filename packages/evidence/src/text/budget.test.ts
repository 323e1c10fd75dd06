import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../../testing/arbitraries.ts";
import { countJsonBytes, fitText, shareOut } from "./budget.ts";
import { countBytes } from "./code-points.ts";

test("R14 a fitted text is a well-formed prefix within the byte budget, in either measure", () => {
  fc.assert(
    fc.property(
      anyText,
      fc.nat(200),
      fc.constantFrom(countBytes, countJsonBytes),
      (text, max_bytes, measure) => {
        const head = fitText(text, max_bytes, measure);
        assert.ok(measure(head) <= max_bytes);
        assert.ok(text.startsWith(head) && head.isWellFormed());
        if (measure(text) <= max_bytes) assert.equal(head, text);
      },
    ),
    { numRuns: 500 },
  );
});

test("a fitted text does not end inside an emoji", () => {
  assert.equal(fitText("ab👨‍👩‍👧‍👦", 12), "ab");
  assert.equal(fitText("abcdef", 3), "abc");
});

test("R14 a shared budget is never overdrawn, and small needs are met first", () => {
  assert.deepEqual(shareOut([10, 1000, 20], 100), [10, 70, 20]);
  assert.deepEqual(shareOut([500, 500], 100), [50, 50]);
  fc.assert(
    fc.property(fc.array(fc.nat(500)), fc.nat(1000), (needs, total) => {
      const shares = shareOut(needs, total);
      assert.ok(shares.reduce((sum, share) => sum + share, 0) <= total);
      for (const [at, share] of shares.entries()) assert.ok(share >= 0 && share <= needs[at]!);
    }),
  );
});
