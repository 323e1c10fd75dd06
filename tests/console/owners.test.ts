/** Several owners in the console: invitations, sign-in by name, own pages, and the administrator's page. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { putConnection, removePassword, setPassword } from "@rungs/server";
import {
  type Halves,
  openSession,
  readHalves,
  type ServedConsole,
  serveConsole,
} from "../../testing/console/served.ts";
import { createNote, library } from "../../testing/library.ts";

const PASSWORD = "correct horse battery";

let served: ServedConsole;
let admin: Halves;
let ada: Halves;
before(async () => {
  served = await serveConsole();
  admin = await openSession(await served.loginLink());
});
after(() => served?.close());

const open = (path: string, session?: Halves, init: RequestInit = {}) =>
  fetch(served.url + path, { redirect: "manual", ...init, headers: { ...session, ...init.headers } });
const page = async (path: string, session?: Halves) => (await open(path, session)).text();
const send = (path: string, form: Record<string, string>, session?: Halves) =>
  open(path, session, { method: "POST", body: new URLSearchParams(form) });

/** Sends a form of the administrator's page, with its CSRF token. */
async function act(path: string, form: Record<string, string>, session: Halves): Promise<Response> {
  const form_token =
    /name="form_token" value="([^"]+)"/.exec(await page("/console/settings", session))?.[1] ?? "";
  return send(path, { form_token, ...form }, session);
}

const signInAs = (name: string, password: string) => send("/console/sign-in", { name, password });

test("R126 with one owner, sign-in asks for no name, and settings show no account", async () => {
  assert.doesNotMatch(await page("/console/sign-in"), /id="name"/);
  assert.doesNotMatch(await page("/console/settings", admin), /Your account/);
});

test("R126 an invitation creates an owner once, who signs in by name and password", async () => {
  const made = await (await act("/console/owners/invite", { name: "ada", records: "50" }, admin)).text();
  const link = /\/console\/join\?code=([\w-]+)/.exec(made)?.[1] ?? "";
  assert.match(await page(`/console/join?code=${link}`), /as <strong>ada<\/strong>/);
  assert.equal((await send("/console/join", { code: link, password: "short" })).status, 400);
  const joined = await send("/console/join", { code: link, password: PASSWORD });
  assert.equal(joined.status, 303);
  ada = readHalves(joined);
  assert.equal((await send("/console/join", { code: link, password: PASSWORD })).status, 401);
  assert.match(await page("/console/sign-in"), /id="name"/);
  assert.equal((await signInAs("ada", PASSWORD)).status, 303);
});

test("R126 a sign-in does not reveal whether a name exists", async () => {
  const say = async (name: string) => {
    const answer = await signInAs(name, "wrong horse battery");
    return [answer.status, (await answer.text()).replace(/request [\w-]+/, "")];
  };
  assert.deepEqual(await say("ada"), await say("nobody"));
});

test("R129 each session shows only its owner's data, syncs, uploads and activity", async () => {
  const owner = { ...served.parts, owner_id: "ada" };
  await putConnection(owner, "home", library, "Ada at home");
  await owner.store.ingest("ada", "home", [createNote("n0", { title: "adamarker", body: "adamarker" })]);
  assert.match(await page("/console", ada), /Ada at home/);
  assert.match(await page("/console/search?q=adamarker", ada), /adamarker/);
  assert.doesNotMatch(await page("/console/search?q=heron", ada), /The lake/);
  assert.doesNotMatch(await page("/console", admin), /Ada at home/);
  for (const [name, session] of [
    ["ada", ada],
    ["owner", admin],
  ] as const)
    assert.match(await page("/console/settings", session), new RegExp(`You are <strong>${name}</strong>`));
  await setPassword(served.parts, PASSWORD);
  await removePassword(served.parts);
  assert.doesNotMatch(await page("/console/activity", ada), /removed the password/);
  for (const path of ["/console/streams/evil/notes", "/console/records/notes:long?connection_id=home"])
    assert.doesNotMatch(await page(path, ada), /The lake|odd key/, path);
  assert.doesNotMatch(await page("/console/activity", admin), /adamarker|Ada at home/);
});

test("R126 the administrator sees names, sizes and quotas, and others cannot tell that the page exists", async () => {
  const shown = await page("/console/owners", admin);
  assert.match(shown, /<strong>ada<\/strong>/);
  assert.match(shown, /1 record/);
  assert.doesNotMatch(shown, /Ada at home|adamarker|heron/);
  const other = await open("/console/owners", ada);
  assert.equal(other.status, 404);
  assert.doesNotMatch(await other.text(), /administrator|quota/i);
  assert.equal((await act("/console/owners/quota", { name: "ada", records: "9" }, ada)).status, 404);
  assert.equal((await act("/console/owners/remove", { name: "owner", confirm: "owner" }, ada)).status, 404);
  assert.equal((await act("/console/owners/quota", { name: "ada", records: "9" }, admin)).status, 303);
  assert.deepEqual((await served.parts.store.getAccount("ada")).quota, { records: 9 });
});

test("R128 the administrator removes an owner by repeating the name", async () => {
  const kept = await act("/console/owners/remove", { name: "ada", confirm: "" }, admin);
  assert.match(await kept.text(), /Nothing was removed/);
  assert.equal((await act("/console/owners/remove", { name: "ada", confirm: "ada" }, admin)).status, 303);
  assert.equal((await open("/console", ada)).headers.get("Location")?.startsWith("/console/sign-in"), true);
  assert.equal((await signInAs("ada", PASSWORD)).status, 401);
  assert.deepEqual(await served.parts.store.listOwners(), ["owner"]);
});
