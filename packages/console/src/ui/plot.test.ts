import assert from "node:assert/strict";
import { test } from "node:test";
import { listPeriods, renderPlot } from "./plot.ts";

test("the axis begins with the first record and ends with the last, with empty periods between", () => {
  assert.deepEqual(listPeriods(["2026-01-30", "2026-02-02"], "day"), [
    "2026-01-30",
    "2026-01-31",
    "2026-02-01",
    "2026-02-02",
  ]);
  assert.deepEqual(listPeriods(["2024"], "year"), ["2024"]);
  assert.equal(listPeriods(["0001", "9999"], "year").length, 400);
});

test("the chart says how many records it leaves out, and why", () => {
  const counts = new Map([["2010", 3]]);
  const shown = String(
    renderPlot({ bucket: "year", counts, outliers: { count: 2, first: "1601", last: "3609" } }, "Mail"),
  );
  assert.match(shown, /Not drawn: 2 records dated 1601 to 3609/);
  assert.match(shown, /Records of Mail by year, 2010 to 2010; at most 3 records in a year/);
});
