import assert from "node:assert/strict";
import { test } from "node:test";
import { listPeriods, renderBars, renderPlot } from "./plot.ts";

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

test("the first bar stands above the first date and the last above the last, however few there are", () => {
  const bars = [3, 94, 200].map((days) => new Array<number>(days).fill(1));
  for (const [at, each] of bars.entries()) {
    const svg = String(renderBars([each], "Records"));
    const [, width] = /viewBox="0 0 (\d+) /.exec(svg) ?? [];
    const starts = [...svg.matchAll(/M(\d+) /g)].map(([, x]) => Number(x));
    assert.deepEqual([starts.length, starts[0], (starts.at(-1) ?? 0) + 6], [each.length, 0, Number(width)]);
    assert.equal(starts[1], at === 0 ? 44 : 8);
  }
});

test("the chart says how many records it omits, and why", () => {
  const counts = new Map([["2010", 3]]);
  const shown = String(
    renderPlot({ bucket: "year", counts, outliers: { count: 2, first: "1601", last: "3609" } }, "Mail"),
  );
  assert.match(shown, /Not drawn: 2 records dated 1601 to 3609/);
  assert.match(shown, /Records of Mail by year, 2010 to 2010; at most 3 records in a year/);
});
