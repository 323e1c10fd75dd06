/** A clock that jumps: nothing is lost, and time-dependent operations fail with a code and recover. */
import assert from "node:assert/strict";
import { createOwnerToken, createServer, ensureOwner, openSealer, putConnection } from "@rungs/server";
import type { Store } from "@rungs/store";
import { library } from "../../testing/library.ts";
import type { Json } from "../ask.ts";
import { createNote, STREAM, toLines } from "../notes.ts";
import type { Place } from "../places.ts";
import { verifyPlace } from "../verify.ts";
import { allow, CONNECTION, IMPORTS } from "../world.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 5, 1);
/** Offsets of the clock from the start, in order. */
const NEAR_MS = [0, HOUR_MS, -HOUR_MS, 24 * HOUR_MS, 1, 0, -1];
const FAR_MS = [10 * YEAR_MS, -20 * YEAR_MS, YEAR_MS, 0];
const BATCH = 20;
const RATE = { burst: 100, per_second: 10 };

/** Moves the clock while records are written and read; returns the final number of records. */
export async function soakClock(place: Place): Promise<number> {
  const clock = { now: START_MS };
  const store = await place.open({ now: () => new Date(clock.now) });
  const kept = new Map<string, number>();
  try {
    const { ask, createOwner, lasting, passing } = await prepare(store, clock);
    for (const [turn, jump] of [...NEAR_MS, ...FAR_MS].entries()) {
      clock.now = START_MS + jump;
      const batch = Array.from({ length: BATCH }, (_, at) => [`t${turn}-${at}`, turn * BATCH + at] as const);
      const body = toLines(batch.map(([key, number]) => createNote(key, number)));
      const path = `/v1/connections/${CONNECTION}/records`;
      assert.equal(
        (await ask(await createOwner(), path, { method: "POST", body, headers: NDJSON })).added,
        BATCH,
      );
      for (const [key, number] of batch) kept.set(key, number);
      await requireReads(ask, lasting, kept.size);
      // The server forgets a token some time after it expires, so an expiring token is tried only around that time.
      if (turn >= NEAR_MS.length) continue;
      const code = (await ask(passing, "/v1/schema")).error?.code;
      assert.ok(jump >= HOUR_MS ? code !== undefined : code === undefined, `${jump}: ${code}`);
    }
    await requireAllowance(ask, lasting, clock);
  } finally {
    await store.close();
  }
  return verifyPlace(place, { [CONNECTION]: kept, [IMPORTS]: new Map() });
}

const NDJSON = { "Content-Type": "application/x-ndjson" };
type Ask = (token: string, path: string, init?: RequestInit) => Promise<Json>;

async function prepare(store: Store, clock: { now: number }) {
  const parts = { store, owner_id: await ensureOwner(store), now: () => clock.now };
  for (const id of [CONNECTION, IMPORTS]) await putConnection(parts, id, library, undefined);
  const sealer = await openSealer(store);
  const app = createServer({ store, sealer, now: () => clock.now, limits: { rate: RATE } });
  const ask: Ask = async (token, path, init = {}) => {
    const headers = { ...init.headers, Authorization: `Bearer ${token}` };
    return (await app.request(path, { ...init, headers })).json();
  };
  return {
    ask,
    // A token from an earlier round may have expired.
    createOwner: () => createOwnerToken(parts),
    lasting: await allow(parts, "lasting"),
    passing: await allow(parts, "passing", START_MS + HOUR_MS),
  };
}

/** Every change appears in the pages, whatever the clock showed when it was made. */
async function requireReads(ask: Ask, token: string, count: number): Promise<void> {
  const path = `/v1/streams/${STREAM}/records?connection_id=${CONNECTION}&limit=100`;
  let seen = 0;
  let page = await ask(token, path);
  for (;;) {
    seen += page.data.length;
    if (!page.has_more) break;
    page = await ask(token, `${path}&cursor=${encodeURIComponent(page.next_cursor)}`);
  }
  assert.equal(seen, count);
}

/** An exhausted rate limit refills after a while, even if the clock went back meanwhile. */
async function requireAllowance(ask: Ask, token: string, clock: { now: number }): Promise<void> {
  const codes = new Set<string>();
  for (let left = RATE.burst + 1; left > 0; left -= 1)
    codes.add((await ask(token, "/v1/schema")).error?.code ?? "answered");
  assert.ok(codes.has("rate_limit_exceeded"));
  clock.now -= HOUR_MS;
  await ask(token, "/v1/schema");
  clock.now += 1_000;
  assert.equal((await ask(token, "/v1/schema")).error?.code, undefined, "the allowance does not come back");
}
