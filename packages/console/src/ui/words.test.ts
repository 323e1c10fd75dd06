import assert from "node:assert/strict";
import { test } from "node:test";
import { renderDays, renderTime, renderTimes } from "./words.ts";

/** The text without its markup. */
const show = (markup: unknown) => String(markup).replace(/<[^>]*>/g, "");

test("a time is shown in its local zone, named only if known, and a day without a time", () => {
  assert.equal(show(renderTime("2026-02-02T10:00:00-05:00")), "2026-02-02 10:00 UTC−05");
  assert.equal(show(renderTime("2026-02-02T10:00:00+05:30")), "2026-02-02 10:00 UTC+05:30");
  assert.equal(show(renderTime("2026-02-02T10:00:00+00:00")), "2026-02-02 10:00 UTC");
  assert.equal(show(renderTime("2026-02-02T10:00:00")), "2026-02-02 10:00");
  assert.equal(show(renderTime("2026-02-02T10:00")), "2026-02-02 10:00");
  assert.equal(show(renderTime("2026-02-02")), "2026-02-02");
  assert.equal(show(renderTime(0)), "1970-01-01 00:00 UTC");
  assert.equal(renderTime("soon"), "soon");
});

test("a day and a zone that a beginning and an end share are shown once", () => {
  const both = (start: string, end?: string) => show(renderTimes(start, end));
  const at = (time: string) => `2026-02-01T${time}:00-05:00`;
  assert.equal(both(at("10:00"), at("11:00")), "2026-02-01 10:00 – 11:00 UTC−05");
  assert.equal(both(at("23:00"), "2026-02-02T01:00:00-05:00"), "2026-02-01 23:00 – 2026-02-02 01:00 UTC−05");
  assert.equal(both(at("10:00"), "2026-02-01T11:00:00Z"), "2026-02-01 10:00 UTC−05 – 2026-02-01 11:00 UTC");
  assert.equal(both("2026-02-01T10:00", "2026-02-01T11:00"), "2026-02-01 10:00 – 11:00");
  assert.equal(both("2026-02-01", "2026-02-03"), "2026-02-01 – 2026-02-03");
  assert.equal(both("2026-02-01", "2026-02-01"), "2026-02-01");
  assert.equal(both("2026-02-01T10:00:00Z"), "2026-02-01 10:00 UTC");
  assert.equal(both("2026-02-01T10:00:01Z", "2026-02-01T10:00:59Z"), "2026-02-01 10:00 UTC");
});

test("days from one to the same are one day", () => {
  assert.equal(show(renderDays("2026-02-02T10:00:00Z", "2026-02-02T23:00:00Z")), "2026-02-02");
  assert.equal(show(renderDays("2026-02-02T10:00:00Z", "2026-02-03T01:00:00Z")), "2026-02-02 – 2026-02-03");
});
