import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerList } from "./server-list.ts";
import { Lag } from "./server-watch.ts";

/** All servers of an address, in order. */
function listAll(url: string): string[] {
  const list = new ServerList(url);
  return Array.from({ length: list.count }, () => {
    const { current } = list;
    list.leave(current);
    return current;
  });
}

test("an address may name several servers, as in libpq", () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    "postgres://me@a/db": ["postgres://me@a/db"],
    "postgres://me:x%40y@a:1,b:2/db?sslmode=require": [
      "postgres://me:x%40y@a:1/db?sslmode=require",
      "postgres://me:x%40y@b:2/db?sslmode=require",
    ],
    "postgresql://[::1]:1,[::2]/db": ["postgresql://[::1]:1/db", "postgresql://[::2]/db"],
    "postgres://me@h/db?host=/run/a,/run/b": [
      "postgres://me@h/db?host=%2Frun%2Fa",
      "postgres://me@h/db?host=%2Frun%2Fb",
    ],
    "postgres://me@h/db?host=a,b&port=1,2": [
      "postgres://me@h/db?host=a&port=1",
      "postgres://me@h/db?host=b&port=2",
    ],
    "not an address": ["not an address"],
  };
  for (const [url, expected] of Object.entries(cases)) assert.deepEqual(listAll(url), expected, url);
});

test("all pools fail over once from a failing server", () => {
  const list = new ServerList("postgres://a,b,c/db");
  const failed = list.current;
  list.leave(failed);
  list.leave(failed);
  assert.equal(list.current, "postgres://b/db");
});

test("a replica's lag is the time since the primary was where the replica is", () => {
  let now = 0;
  const lag = new Lag(() => now);
  lag.note(100);
  now = 500;
  lag.note(200);
  now = 700;
  assert.equal(lag.measure(50), 700);
  assert.equal(lag.measure(100), 200);
  assert.equal(lag.measure(200), 0);
  now = 900;
  lag.note(200);
  assert.equal(lag.measure(200), 0);
  // A successor that lags.
  lag.note(300);
  lag.note(250);
  now = 1_000;
  assert.equal(lag.measure(200), 100);
});
