import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Store } from "@rungs/store";
import { openSqlite } from "@rungs/store/sqlite";
import { digestToken } from "../access/bearer.ts";
import { createLoginLink, LOGIN_LINK_MS } from "./login-links.ts";
import { ensureOwner, type OwnerParts } from "./owner.ts";
import { hasPassword, removePassword, setPassword } from "./password.ts";
import { endSession, findSession, listSessions } from "./sessions.ts";
import { createSignIn } from "./sign-in.ts";

let folder: string;
let store: Store;
let parts: OwnerParts;
let now_ms = Date.parse("2026-05-01T10:00:00Z");

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "rungs-sign-in-"));
  const now = () => now_ms;
  store = await openSqlite(join(folder, "rungs.db"), { now: () => new Date(now_ms) });
  parts = { store, owner_id: await ensureOwner(store), now };
});
after(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const codeOf = async () => new URL(await createLoginLink(parts, "http://here")).searchParams.get("code")!;
const refused = { code: "invalid_token" };

test("a link signs in once, and of many who try at once one gets in", async () => {
  const { byCode } = createSignIn(parts);
  const code = await codeOf();
  const tries = await Promise.allSettled(Array.from({ length: 8 }, () => byCode(code, "browser")));
  assert.equal(tries.filter(({ status }) => status === "fulfilled").length, 1);
  await assert.rejects(byCode(code, "browser"), refused);
  await assert.rejects(byCode("rungs_made-up", "browser"), refused);
});

test("a link is of no use after its time", async () => {
  const code = await codeOf();
  now_ms += LOGIN_LINK_MS + 1;
  await assert.rejects(createSignIn(parts).byCode(code, "browser"), refused);
});

test("R53 neither a code nor a session's token is stored", async () => {
  const code = await codeOf();
  const kept = JSON.stringify(await store.listState(parts.owner_id, "login_link"));
  assert.ok(!kept.includes(code) && kept.includes(digestToken(code)));
  const token = await createSignIn(parts).byCode(code, "browser");
  const sessions = JSON.stringify(await store.listState(parts.owner_id, "session"));
  assert.ok(!sessions.includes(token) && sessions.includes(digestToken(token)));
});

test("a session that was ended opens nothing, and its token neither", async () => {
  const token = await createSignIn(parts).byCode(await codeOf(), "x".repeat(1000));
  const session = await findSession(parts, token);
  assert.equal(session?.agent.length, 200);
  assert.ok((await listSessions(parts)).some(({ session_id }) => session_id === session?.session_id));
  await endSession(parts, session!.session_id);
  assert.equal(await findSession(parts, token), undefined);
  assert.ok((await store.findToken(digestToken(token)))?.revoked_at);
  assert.equal(await findSession(parts, "rungs_made-up"), undefined);
});

test("a session that ends while a visit is written down stays ended", async () => {
  const token = await createSignIn(parts).byCode(await codeOf(), "browser");
  now_ms += 60 * 60 * 1000;
  const endFirst: Store["putState"] = async (...args) => {
    await endSession(parts, digestToken(token));
    return store.putState(...args);
  };
  await findSession({ ...parts, store: { ...store, putState: endFirst } }, token);
  assert.equal(await findSession(parts, token), undefined);
});

test("a password gets in when one is set, a wrong one never, and guessing is slowed down", async () => {
  const { byPassword } = createSignIn(parts);
  await assert.rejects(byPassword("", "browser"), refused);
  await assert.rejects(setPassword(parts, "too short"), { code: "invalid_request" });
  await setPassword(parts, "correct horse battery");
  assert.equal(await hasPassword(parts), true);
  assert.ok(await findSession(parts, await byPassword("correct horse battery", "browser")));
  for (let at = 0; at < 3; at++) await assert.rejects(byPassword("guess", "browser"), refused);
  await assert.rejects(byPassword("correct horse battery", "browser"), { code: "rate_limited" });
  const kept = JSON.stringify(await store.listState(parts.owner_id, "password"));
  assert.ok(!kept.includes("correct horse"));
  await removePassword(parts);
  now_ms += 60_000;
  await assert.rejects(byPassword("correct horse battery", "browser"), refused);
});
