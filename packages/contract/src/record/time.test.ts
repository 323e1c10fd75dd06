import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isFinerThanMs, parseTimeMs } from "./time.ts";

test("parseTimeMs reads every ISO time that Date writes", () => {
  fc.assert(
    fc.property(
      fc.date({
        min: new Date("0000-01-01T00:00:00Z"),
        max: new Date("9999-12-31T23:59:59Z"),
        noInvalidDate: true,
      }),
      (date) => parseTimeMs(date.toISOString()) === date.getTime(),
    ),
  );
});

test("parseTimeMs applies offsets, and treats a time without one as UTC", () => {
  const noon = Date.UTC(2026, 3, 1, 12);
  for (const text of [
    "2026-04-01T12:00:00Z",
    "2026-04-01T12:00:00",
    "2026-04-01 12:00",
    "2026-04-01T14:00:00+02:00",
    "2026-04-01T06:30:00-0530",
    "2026-04-01t12:00:00.000z",
  ]) {
    assert.equal(parseTimeMs(text), noon, text);
  }
  assert.equal(parseTimeMs("2026-04-01"), Date.UTC(2026, 3, 1));
});

test("parseTimeMs rounds down, before 1970 too", () => {
  assert.equal(parseTimeMs("2026-04-01T00:00:00.0019Z"), Date.UTC(2026, 3, 1) + 1);
  assert.equal(parseTimeMs("1969-12-31T23:59:59.9995Z"), -1);
  assert.equal(parseTimeMs(-0.0005), -1);
  assert.equal(parseTimeMs(1.0009), 1000);
});

test("parseTimeMs treats small numbers as seconds and large ones as milliseconds", () => {
  assert.equal(parseTimeMs(1_775_000_000), 1_775_000_000_000);
  assert.equal(parseTimeMs(1_775_000_000_000), 1_775_000_000_000);
  assert.equal(parseTimeMs(0), 0);
});

test("parseTimeMs returns undefined for values that are not times", () => {
  for (const value of [
    "",
    "yesterday",
    "2026-13-01",
    "2026-02-30",
    "2026-04-01T25:00",
    "2026-04-01T12:00:00+25:00",
    "2026-04",
    "12:00",
    Number.NaN,
    Number.POSITIVE_INFINITY,
    9e15,
    null,
    undefined,
    true,
    {},
  ]) {
    assert.equal(parseTimeMs(value), undefined, String(value));
  }
});

test("isFinerThanMs detects digits below milliseconds", () => {
  assert.equal(isFinerThanMs("2026-04-01T00:00:00.0019Z"), true);
  assert.equal(isFinerThanMs("2026-04-01T00:00:00.001000Z"), false);
  assert.equal(isFinerThanMs("2026-04-01"), false);
});
