import assert from "node:assert/strict";
import crypto, { type ScryptOptions } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Store } from "@rungs/store";
import { openSqlite } from "@rungs/store/sqlite";
import { digestToken } from "../access/tokens.ts";
import { ensureOwner, type OwnerContext } from "./owner-context.ts";
import { hasPassword, removePassword, setPassword } from "./password.ts";
import { endSession, findSession, listSessions } from "./sessions.ts";
import { createLoginLink, createSignIn, LOGIN_LINK_MS } from "./sign-in.ts";
import { createOwnerToken } from "./tokens.ts";

let folder: string;
let store: Store;
let owner: OwnerContext;
let now_ms = Date.parse("2026-05-01T10:00:00Z");

const { scrypt } = crypto;
/** Most tests only count guesses, for which a cheaper key suffices: a full-cost one takes some tenths of a second. */
let isWorkFull = false;
/** The parameters with which every key was derived. */
const works: (ScryptOptions | undefined)[] = [];

before(async () => {
  crypto.scrypt = ((...[password, salt, bytes, work, done]: Parameters<typeof scrypt>) => {
    works.push(work);
    scrypt(password, salt, bytes, isWorkFull ? work : { ...work, N: 2 }, done);
  }) as typeof scrypt;
  syncBuiltinESMExports();
  folder = mkdtempSync(join(tmpdir(), "rungs-sign-in-"));
  const now = () => now_ms;
  store = await openSqlite(join(folder, "rungs.db"), { now: () => new Date(now_ms) });
  owner = { store, owner_id: await ensureOwner(store), now };
});
after(async () => {
  crypto.scrypt = scrypt;
  syncBuiltinESMExports();
  await store.close();
  rmSync(folder, { recursive: true });
});

const codeOf = async () => new URL(await createLoginLink(owner, "http://here")).searchParams.get("code")!;
const refused = { code: "invalid_token" };

test("a link signs in once, and only one of many concurrent attempts succeeds", async () => {
  const { byCode } = createSignIn(owner);
  const code = await codeOf();
  const tries = await Promise.allSettled(Array.from({ length: 8 }, () => byCode(code, "browser")));
  assert.equal(tries.filter(({ status }) => status === "fulfilled").length, 1);
  await assert.rejects(byCode(code, "browser"), refused);
  await assert.rejects(byCode("rungs_made-up", "browser"), refused);
});

test("an expired link is refused", async () => {
  const code = await codeOf();
  now_ms += LOGIN_LINK_MS + 1;
  await assert.rejects(createSignIn(owner).byCode(code, "browser"), refused);
});

test("R53 neither a code nor a session's secret or token is stored", async () => {
  const code = await codeOf();
  const kept = JSON.stringify(await store.listState("", "login_link"));
  assert.ok(!kept.includes(code) && kept.includes(digestToken(code)));
  const secret = await createSignIn(owner).byCode(code, "browser");
  const { token, session_id } = (await findSession(owner, secret))!;
  const sessions = JSON.stringify(await store.listState(owner.owner_id, "session"));
  assert.ok(!sessions.includes(secret) && !sessions.includes(digestToken(secret)));
  assert.ok(!sessions.includes(token) && sessions.includes(digestToken(token)));
  assert.equal(session_id, digestToken(token));
});

test("a session's secret is not a token, and another server key derives another token", async () => {
  const secret = await createSignIn(owner).byCode(await codeOf(), "browser");
  const { token } = (await findSession(owner, secret))!;
  assert.equal(await store.findToken(digestToken(secret)), undefined);
  assert.equal((await store.findToken(digestToken(token)))?.kind, "owner");
  assert.equal(await findSession(owner, token), undefined);
  const elsewhere = { ...store, getSecret: async () => "of another server" };
  assert.equal(await findSession({ ...owner, store: elsewhere }, secret), undefined);
});

test("an ended session and its token are invalid", async () => {
  const secret = await createSignIn(owner).byCode(await codeOf(), "x".repeat(1000));
  const session = await findSession(owner, secret);
  assert.equal(session?.agent.length, 200);
  assert.ok((await listSessions(owner)).some(({ session_id }) => session_id === session?.session_id));
  await endSession(owner, session!.session_id);
  assert.equal(await findSession(owner, secret), undefined);
  assert.ok((await store.findToken(digestToken(session!.token)))?.revoked_at);
  assert.equal(await findSession(owner, "rungs_made-up"), undefined);
});

test("a session that ends during an update of its last use stays ended", async () => {
  const secret = await createSignIn(owner).byCode(await codeOf(), "browser");
  const { session_id } = (await findSession(owner, secret))!;
  now_ms += 60 * 60 * 1000;
  const endFirst: Store["putState"] = async (...args) => {
    await endSession(owner, session_id);
    return store.putState(...args);
  };
  await findSession({ ...owner, store: { ...store, putState: endFirst } }, secret);
  assert.equal(await findSession(owner, secret), undefined);
});

/** The audit entries after the first `count`, oldest first. */
async function eventsSince(count: number): Promise<string[]> {
  const rows = await store.listAudit(owner.owner_id, { limit: 1000 });
  return rows
    .reverse()
    .slice(count)
    .map(({ client_id, operation, status }) => `${client_id} ${operation} ${status}`);
}

test("R55 the audit log has one entry for each sign-in, sign-out, failed sign-in and new password, and no secret", async () => {
  now_ms += 60 * 60 * 1000;
  const before = (await eventsSince(0)).length;
  const { byCode, byPassword } = createSignIn(owner);
  const secret = await byCode(await codeOf(), "browser");
  await assert.rejects(byCode("rungs_made-up", "browser"), refused);
  await setPassword(owner, "correct horse battery");
  await assert.rejects(byPassword({ password: "wrong horse battery" }, "browser"), refused);
  await endSession(owner, (await findSession(owner, secret))!.session_id);
  await endSession(owner, "unknown");
  for (const _ of [1, 2]) await removePassword(owner);
  const events = ["sign_in 200", "password_set 200", "sign_in_failed 401", "session_ended 200"];
  assert.deepEqual(
    await eventsSince(before),
    [...events, "password_removed 200"].map((event) => `owner ${event}`),
  );
  const rows = JSON.stringify(await store.listAudit(owner.owner_id, { limit: 1000 }));
  assert.doesNotMatch(rows, /rungs_|horse/);
});

test("no sign-in and no token without an entry in the audit log", async () => {
  const failing = { ...store, appendAudit: () => Promise.reject(new Error("the disk is full")) };
  const without = { ...owner, store: failing };
  const before = (await store.listTokens(owner.owner_id)).length;
  await assert.rejects(createSignIn(without).byCode(await codeOf(), "browser"), /disk is full/);
  await assert.rejects(createOwnerToken(without), /disk is full/);
  assert.equal((await store.listTokens(owner.owner_id)).length, before);
});

test("a password signs in when one is set, a wrong one never does, and guessing is rate-limited", async (t) => {
  now_ms += 60 * 60 * 1000;
  isWorkFull = true;
  t.after(() => {
    isWorkFull = false;
  });
  const { byPassword } = createSignIn(owner);
  await assert.rejects(byPassword({ password: "" }, "browser"), refused);
  await assert.rejects(setPassword(owner, "too short"), { code: "invalid_request" });
  await setPassword(owner, "correct horse battery");
  assert.equal(await hasPassword(owner), true);
  assert.ok(await findSession(owner, await byPassword({ password: "correct horse battery" }, "browser")));
  for (let at = 0; at < 3; at++) await assert.rejects(byPassword({ password: "guess" }, "browser"), refused);
  await assert.rejects(byPassword({ password: "correct horse battery" }, "browser"), {
    code: "rate_limited",
  });
  const kept = JSON.stringify(await store.listState(owner.owner_id, "password"));
  assert.ok(!kept.includes("correct horse"));
  await removePassword(owner);
  now_ms += 60_000;
  await assert.rejects(byPassword({ password: "correct horse battery" }, "browser"), refused);
});

test("R57 strangers' guesses keep no signed-in owner from confirming, which has its own limit", async () => {
  await setPassword(owner, "the password of the owner");
  const { byPassword, confirm } = createSignIn(owner);
  now_ms += 3_600_000;
  const guess = () => byPassword({ name: owner.owner_id, password: "a guess" }, "browser");
  for (let at = 0; at < 5; at += 1) await assert.rejects(guess(), refused);
  await assert.rejects(guess(), { code: "rate_limited" });
  await confirm(owner, "the password of the owner");
  for (let at = 0; at < 4; at += 1) await assert.rejects(confirm(owner, "a guess"), refused);
  await assert.rejects(confirm(owner, "the password of the owner"), { code: "rate_limited" });
});

test("R57 guesses at one name leave nearly all others unaffected", async () => {
  now_ms += 3_600_000;
  const { byPassword } = createSignIn(owner);
  const guess = (name: string) => byPassword({ name, password: "a guess" }, "browser");
  const digest = digestToken(owner.owner_id);
  // The nearest other bucket: it shares the first two characters.
  const near = Array.from({ length: 100_000 }, (_, at) => `name ${at}`).find((name) => {
    const other = digestToken(name);
    return other.slice(0, 2) === digest.slice(0, 2) && other[2] !== digest[2];
  });
  for (let at = 0; at < 5; at += 1) await assert.rejects(guess(near!), refused);
  await assert.rejects(guess(near!), { code: "rate_limited" });
  await assert.rejects(guess(owner.owner_id), refused);
});

test("every key has the cost that OWASP recommends", () => {
  assert.ok(works.length > 20, `${works.length} keys`);
  for (const work of works) assert.deepEqual(work, { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 ** 2 });
});
