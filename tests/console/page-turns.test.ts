/** Pages of several owners: one who asks for many at once keeps the others waiting for none. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createLoginLink, ensureOwner } from "@rungs/server";
import type { Store } from "@rungs/store";
import { listen } from "rungs/internal/listen";
import { type OpenedApp, openApp } from "rungs/internal/open-app";
import { type Halves, openSession } from "../../testing/console/served.ts";
import { openTestStore } from "../../testing/engines.ts";
import { until } from "../../testing/until.ts";

const AT_ONCE = 3;
const WAITING = 200;
const FLOOD = 210;

/** Pages of Ada's that read her grants, until they are let go. */
const held: (() => void)[] = [];
let isHeld = false;
/** How often Ada's grants were read. */
let made = 0;
const sessions = new Map<string, Halves>();
let url: string;
let close: () => Promise<void>;

function holdGrants(store: Store): Store {
  return {
    ...store,
    async listGrants(owner_id) {
      if (owner_id === "ada") made += 1;
      if (isHeld && owner_id === "ada") await new Promise<void>((go) => held.push(go));
      return store.listGrants(owner_id);
    },
  };
}

before(async () => {
  const { store, close: closeStore } = await openTestStore("sqlite");
  const first = { store, owner_id: await ensureOwner(store), now: Date.now };
  const opened = Promise.withResolvers<OpenedApp>();
  const answer = async (request: Request, env: object) => (await opened.promise).app.fetch(request, env);
  const { url: address, stop } = await listen(answer, { host: "127.0.0.1", port: 0, stop_ms: 100 });
  url = address;
  opened.resolve(await openApp(holdGrants(store), { url }));
  for (const owner_id of ["ada", "ben"]) {
    await store.addOwner({ owner_id, created_at: new Date().toISOString(), quota: {} });
    sessions.set(owner_id, await openSession(await createLoginLink({ ...first, owner_id }, url)));
  }
  close = async () => {
    await stop();
    await closeStore();
  };
});
after(() => close?.());

const open = (owner_id: string, signal?: AbortSignal) =>
  fetch(`${url}/console/grants`, {
    headers: { ...sessions.get(owner_id) },
    redirect: "manual",
    ...(signal && { signal }),
  });

test("R56 a few pages of an owner are made at once, others wait, and those of another owner do not", async () => {
  isHeld = true;
  const statuses: number[] = [];
  const flood = Array.from({ length: FLOOD }, async () => statuses.push((await open("ada")).status));
  await until(() => held.length === AT_ONCE);
  assert.equal((await open("ben")).status, 200);
  // What is too much is refused while the others wait.
  await until(() => statuses.length === FLOOD - AT_ONCE - WAITING);
  assert.deepEqual(new Set(statuses), new Set([429]));
  assert.equal(held.length, AT_ONCE);
  isHeld = false;
  for (const go of held.splice(0)) go();
  await Promise.all(flood);
  assert.equal(statuses.filter((status) => status === 200).length, AT_ONCE + WAITING);
});

test("R56 a page that nobody waits for any more is not made", async () => {
  isHeld = true;
  const left = new AbortController();
  const begun = Array.from({ length: AT_ONCE }, () => open("ada"));
  await until(() => held.length === AT_ONCE);
  const before = made;
  const waiting = open("ada", left.signal).catch(() => undefined);
  await delay(100);
  left.abort();
  await waiting;
  await delay(100);
  const last = open("ada");
  isHeld = false;
  for (const go of held.splice(0)) go();
  for (const { status } of await Promise.all([...begun, last])) assert.equal(status, 200);
  assert.equal(made - before, 1);
});
