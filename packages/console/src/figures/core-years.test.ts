import assert from "node:assert/strict";
import { test } from "node:test";
import { findCoreYears } from "./histogram.ts";

const find = (years: Record<string, number>) => findCoreYears(new Map(Object.entries(years)), 2026);

test("a single record in a distant year is left out and reported", () => {
  const found = find({ "2010": 100, "2011": 254, "3609": 1 });
  assert.deepEqual(found, { first: 2010, last: 2011, outliers: { count: 1, first: "3609", last: "3609" } });
});

test("finds outliers on both sides, including years beyond 9999", () => {
  const found = find({ "0001": 1, "1970": 1, "2001": 300, "2003": 100, "+275760": 1 });
  assert.deepEqual(found, { first: 2001, last: 2003, outliers: { count: 3, first: "1", last: "275760" } });
});

test("the far future is an outlier even among few records", () => {
  assert.deepEqual(find({ "2010": 1, "2011": 1, "3609": 1 }).last, 2011);
});

test("real data with a long gap stays whole", () => {
  assert.deepEqual(find({ "1992": 5, "2016": 40, "2025": 60 }), { first: 1992, last: 2025 });
  assert.deepEqual(find({ "1992": 1, "2025": 1 }), { first: 1992, last: 2025 });
  assert.deepEqual(find({ "2026": 3 }), { first: 2026, last: 2026 });
});
