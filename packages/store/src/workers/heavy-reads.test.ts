/** Lanes that used their share yield to the others (R56). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LaneUse } from "./lane-use.ts";
import { GIVE_WAY_TIMES, GiveWay, LightReads, readThreadMs } from "./light-reads.ts";

/** Busy-waits for a time. */
function spin(ms: number): void {
  for (const end = readThreadMs() + ms; readThreadMs() < end; );
}

test("R56 a lane is heavy once it has used a quarter of a thread, and light again after a rest", () => {
  let now = 0;
  const use = new LaneUse(250, () => now);
  assert.equal(use.leftMs("a"), 250);
  use.add("a", 100);
  assert.equal(use.leftMs("a"), 150);
  use.add("a", 1_000);
  assert.equal(use.leftMs("a"), 0);
  assert.equal(use.leftMs("b"), 250);
  now += 5_000;
  assert.ok(use.leftMs("a") > 200);
  for (let second = 0; second < 60; second += 1, now += 1_000) use.add("seldom", 50);
  assert.ok(use.leftMs("seldom") > 150, "a read of 50 ms each second stays light");
  for (let second = 0; second < 60; second += 1, now += 1_000) use.add("often", 900);
  assert.equal(use.leftMs("often"), 0);
});

test("R56 a heavy read pauses beside a light one for a multiple of its running time, and a light read never pauses", () => {
  const reads = new LightReads(2);
  const [own, other] = [reads.take(), reads.take()];
  assert.throws(() => reads.take(), /more threads/);
  const giveWay = new GiveWay(own, new Int32Array(new SharedArrayBuffer(4)), readThreadMs);
  own.isLight = true;
  giveWay.begin(Infinity);
  other.isLight = true;
  assert.deepEqual([giveWay.pause(), own.isLight], [0, true]);

  giveWay.begin(0);
  spin(20);
  const paused_ms = giveWay.pause();
  assert.ok(paused_ms >= 20 * GIVE_WAY_TIMES, `${paused_ms} ms`);
  assert.equal(own.isLight, false);
  assert.equal(giveWay.end().paused_ms, paused_ms);

  reads.free(other);
  spin(20);
  assert.equal(giveWay.pause(), 0, "nobody to give way to");
});

test("R57 a cancelled read does not pause", () => {
  const reads = new LightReads(2);
  const giveWay = new GiveWay(reads.take(), Int32Array.of(1), readThreadMs);
  reads.take().isLight = true;
  giveWay.begin(-1_000);
  assert.equal(giveWay.pause(), 0);
});
