import assert from "node:assert/strict";
import { test } from "node:test";
import { renderDays, renderTime } from "./words.ts";

/** The text without its markup. */
const show = (markup: unknown) => String(markup).replace(/<[^>]*>/g, "");

test("a time is shown in UTC only if its zone is known, and a day without a time", () => {
  assert.equal(show(renderTime("2026-02-02T10:00:00-05:00")), "2026-02-02 15:00 UTC");
  assert.equal(show(renderTime("2026-02-02T10:00:00")), "2026-02-02 10:00");
  assert.equal(show(renderTime("2026-02-02T10:00")), "2026-02-02 10:00");
  assert.equal(show(renderTime("2026-02-02")), "2026-02-02");
  assert.equal(show(renderTime(0)), "1970-01-01 00:00 UTC");
  assert.equal(renderTime("soon"), "soon");
});

test("days from one to the same are one day", () => {
  assert.equal(show(renderDays("2026-02-02T10:00:00Z", "2026-02-02T23:00:00Z")), "2026-02-02");
  assert.equal(show(renderDays("2026-02-02T10:00:00Z", "2026-02-03T01:00:00Z")), "2026-02-02 – 2026-02-03");
});
