import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ApiError } from "@rungs/contract";
import { createSharedValues } from "../../../../testing/shared-values.ts";
import { limits } from "../settings/limits.ts";
import { createQuotaLimit, createRateLimit, createShares } from "./shares.ts";

const { signal } = new AbortController();

test("R57 a flood of one token is looked up a few at a time, between the turns of the event loop", async () => {
  const { takeLookup } = createShares(limits, createSharedValues());
  let done = 0;
  const lookUp = async (digest: string) => {
    const turn = await takeLookup(digest, signal);
    done += 1;
    turn.end();
  };
  const flood = Array.from({ length: 100 }, () => lookUp("flood"));
  let turns = 0;
  for (; done < 100; turns += 1) {
    const before = done;
    await nextTurn();
    assert.ok(done - before <= 4, `${done - before} look-ups in one turn`);
  }
  await Promise.all(flood);
  assert.ok(turns >= 25, `${turns} turns`);
});

test("R57 another token is looked up at once beside a flood", async () => {
  const { takeLookup } = createShares(limits, createSharedValues());
  const flood = Array.from({ length: 100 }, () => takeLookup("flood", signal).then(({ end }) => end()));
  assert.equal((await takeLookup("other", signal)).hasWaited, false);
  await Promise.all(flood);
});

const REFUSED = { code: "rate_limited" };

test("allows a burst, then the refill rate, separately for each key", async () => {
  const context = createSharedValues();
  const take = createRateLimit("test", { burst: 2, per_second: 10 }, context);
  await take("a");
  await take("a");
  await assert.rejects(take("a"), (error: ApiError) => {
    assert.deepEqual([error.code, error.details.retry_after_seconds], ["rate_limited", 1]);
    return true;
  });
  await take("b");
  context.clock += 100;
  await take("a");
  await assert.rejects(take("a"), REFUSED);
  context.clock += 60_000;
  await take("a");
  await take("a");
  await assert.rejects(take("a"), REFUSED);
});

test("a clock that goes back neither adds nor blocks requests", async () => {
  const context = createSharedValues();
  const take = createRateLimit("test", { burst: 1, per_second: 1 }, context);
  await take("a");
  context.clock -= 10_000;
  await assert.rejects(take("a"), REFUSED);
  context.clock += 1_000;
  await take("a");
});

test("forgets unused keys, and none of those in use", async () => {
  const context = createSharedValues();
  const take = createRateLimit("test", { burst: 1, per_second: 1 }, context);
  for (let key = 0; key < 12_000; key += 1) {
    await take(String(key));
    context.clock += 10;
  }
  await assert.rejects(take("11999"), REFUSED);
});

test("R57 a refused flood no longer queries the shared limit", async () => {
  const context = createSharedValues();
  const take = createRateLimit("test", { burst: 1, per_second: 1 }, context);
  await take("a");
  await assert.rejects(take("a"), REFUSED);
  const { changes } = context;
  for (let at = 0; at < 100; at += 1) await assert.rejects(take("a"), REFUSED);
  assert.equal(context.changes, changes);
});

/** How many of `count` requests, sent by turns to each server at the same moment, are let through. */
async function countThrough(servers: readonly ((key: string) => Promise<void>)[], count: number) {
  const sent = Array.from({ length: count }, (_, at) => servers[at % servers.length]?.("a"));
  return (await Promise.allSettled(sent)).filter(({ status }) => status === "fulfilled").length;
}

for (const [burst, part] of [
  [5, 1],
  [300, 18],
] as const) {
  test(`R57 four servers let ${burst} requests through together, as one would`, async () => {
    const context = createSharedValues();
    const servers = Array.from({ length: 4 }, () =>
      createRateLimit("test", { burst, per_second: 1 }, context),
    );
    assert.equal(await countThrough(servers, 4 * burst), burst);
    context.clock += 10_000;
    assert.equal(await countThrough(servers, 4 * burst), Math.min(burst, 10), "and the refill rate");
    assert.ok(context.changes <= 10 * Math.ceil(burst / part), `${context.changes} questions`);
    // What each server still held when the bucket refilled is on top.
    context.clock += 10_000_000;
    await servers[0]?.("a");
    context.clock += 10_000_000;
    const most = burst + 4 * (part - 1);
    const through = await countThrough(servers, 4 * burst);
    assert.ok(through >= burst && through <= most, `${through} of at most ${most}`);
  });
}

test("R57 a quota of a minute is one quota on all servers", async () => {
  const context = createSharedValues();
  const limits = [createQuotaLimit(context), createQuotaLimit(context)];
  const servers = limits.map((limit) => () => limit("owner", 40));
  assert.equal(await countThrough(servers, 100), 40);
  await assert.rejects(servers[0]?.() ?? Promise.resolve(), { code: "request_quota_exceeded" });
  context.clock += 60_000;
  assert.equal(await countThrough(servers, 100), 40);
});

test("R57 with many keys in use, a request does not scan them all", async () => {
  const context = createSharedValues();
  let looks = 0;
  const now = () => {
    looks += 1;
    return context.clock;
  };
  const take = createRateLimit("test", { burst: 1, per_second: 0.001 }, { store: context.store, now });
  const keys = 14_000;
  for (let key = 0; key < keys; key += 1) await take(String(key));
  assert.ok(looks < 20 * keys, `${looks} looks at the clock`);
});

test("R57 a quota holds at the turn of a minute, although the servers' clocks differ", async () => {
  const context = createSharedValues();
  context.clock += 59_000;
  const early = { store: context.store, now: () => context.clock + 2_000 };
  const [limit, earlyLimit] = [createQuotaLimit(context), createQuotaLimit(early)];
  const servers = [() => limit("owner", 40), () => earlyLimit("owner", 40)];
  const through = await countThrough(servers, 400);
  // What one server took in the previous minute, and the quota of the minute that the other has begun.
  assert.ok(through <= 2 + 40, `${through}`);
  context.clock += 1_000;
  assert.equal(await countThrough(servers, 400), 0);
  context.clock -= 3_600_000;
  assert.equal(await countThrough(servers.slice(0, 1), 100), 40, "a clock that went back far counts anew");
});
