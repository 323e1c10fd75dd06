import assert from "node:assert/strict";
import { test } from "node:test";
import { RECORD_PAGE, SEARCH_PAGE } from "@rungs/contract";
import fc from "fast-check";
import {
  changesPages,
  changesSince,
  clampLimit,
  createPager,
  createSealer,
  listPages,
  searchPages,
} from "./page-cursor.ts";

test("an excessive limit is lowered with a warning, not refused", () => {
  assert.deepEqual(clampLimit(undefined, RECORD_PAGE), { limit: 25, warnings: [] });
  assert.deepEqual(clampLimit(100, RECORD_PAGE), { limit: 100, warnings: [] });
  assert.deepEqual(clampLimit(undefined, SEARCH_PAGE).limit, 10);
  const { limit, warnings } = clampLimit(101, RECORD_PAGE);
  assert.equal(limit, 100);
  assert.deepEqual(
    warnings.map(({ code, param }) => [code, param]),
    [["limit_clamped", "limit"]],
  );
});

const sealer = createSealer("a secret");
const options = { sealer, now_ms: Date.UTC(2026, 0, 1) };

test("R24 positions round-trip", () => {
  const list = { after: { sort: null, record_id: "x" }, horizon: 12 };
  assert.deepEqual(
    createPager(listPages, [], options).open(createPager(listPages, [], options).seal(list)),
    list,
  );
  const found = { tier: 0 as const, score: 1.25, time_ms: null, tie: 3, id: "a/b:c" };
  assert.deepEqual(
    createPager(searchPages, [], options).open(createPager(searchPages, [], options).seal(found)),
    found,
  );
});

test("R24 any place in a search round-trips exactly, in a short cursor", () => {
  const pager = createPager(searchPages, [], options);
  const anyPosition = fc.record({
    tier: fc.constantFrom(0 as const, 1 as const),
    score: fc.double({ noNaN: true }),
    time_ms: fc.option(fc.maxSafeInteger()),
    tie: fc.nat(0xffff_ffff),
    id: fc.string({ unit: "grapheme" }),
  });
  fc.assert(
    fc.property(anyPosition, (position) =>
      assert.deepEqual(pager.open(pager.seal(position)), { ...position }),
    ),
  );
  const usual = { tier: 0 as const, score: 31.415926535897931, time_ms: options.now_ms, tie: 4_000_000_000 };
  const { length } = pager.seal({ ...usual, id: "chat-26/turns:D14-13" });
  assert.ok(length <= 140, `${length} characters`);
});

test("R24 a cursor of another request is foreign, one of another kind is invalid, and each error names its parameter", () => {
  const cursor = createPager(changesPages, ["a"], options).seal({ horizon: 2, after: 1 });
  assert.throws(() => createPager(changesPages, ["b"], options).open(cursor), { code: "cursor_foreign" });
  const since = createPager(changesSince, ["a"], { ...options, param: "changes_since" });
  assert.throws(
    () => since.open(cursor),
    (error: { code: string; details: { param: string } }) => {
      assert.deepEqual([error.code, error.details.param], ["invalid_cursor", "changes_since"]);
      return true;
    },
  );
});

test("a position written by another version of the program is an invalid cursor, not a crash", () => {
  const odd = { ...changesPages, write: () => ["not a counter"] };
  const cursor = createPager(odd, [], options).seal({ horizon: 2, after: 1 });
  assert.throws(() => createPager(changesPages, [], options).open(cursor), { code: "invalid_cursor" });
});

test("R17 the length of a counter does not reveal its value", () => {
  const pager = createPager(changesSince, [], options);
  assert.equal(pager.seal(7).length, pager.seal(123_456_789).length);
});

test("R24 sealed text opens again, and is URL-safe", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const sealed = sealer.seal(text);
      assert.match(sealed, /^[A-Za-z0-9_-]+$/);
      assert.equal(sealer.open(sealed), text);
    }),
  );
});

test("R24 sealing is deterministic, and differs for another text or secret", () => {
  const other = createSealer("another secret");
  assert.equal(sealer.seal("x"), sealer.seal("x"));
  assert.notEqual(sealer.seal("x"), sealer.seal("y"));
  assert.notEqual(sealer.seal("x"), other.seal("x"));
  assert.equal(other.open(sealer.seal("x")), undefined);
  assert.notEqual(sealer.tag("x"), other.tag("x"));
  assert.equal(sealer.tag("x").length, 12);
});

test("R24 text changed by a single character does not open", () => {
  const sealed = sealer.seal("position 12");
  for (let at = 0; at < sealed.length; at += 1) {
    for (const letter of "Aa0-_=. ") {
      if (letter === sealed[at]) continue;
      assert.equal(sealer.open(sealed.slice(0, at) + letter + sealed.slice(at + 1)), undefined);
    }
    assert.equal(sealer.open(sealed.slice(0, at)), undefined);
  }
  fc.assert(fc.property(fc.string(), (text) => sealer.open(text) === undefined));
});
