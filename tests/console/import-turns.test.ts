/** Uploads of several owners: one owner's uploads neither delay the others nor exhaust memory. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ImportFile } from "@rungs/console";
import { createLoginLink, ensureOwner, findImportRun, type OwnerContext } from "@rungs/server";
import { listen } from "rungs/internal/listen";
import { type OpenedApp, openApp } from "rungs/internal/open-app";
import { type Halves, openSession } from "../../testing/console/served.ts";
import { openTestStore } from "../../testing/engines.ts";
import { until } from "../../testing/until.ts";

/** Started imports, each with the function that ends it. */
const started: { readonly owner_id: string; end(): void }[] = [];
const sessions = new Map<
  string,
  { readonly halves: Halves; readonly form_token: string; readonly parts: OwnerContext }
>();
let url: string;
let close: () => Promise<void>;

/** Starts, and runs until the test ends it. */
const importFileOf =
  ({ owner_id }: OwnerContext): ImportFile =>
  ({ stop }) =>
    new Promise((resolve) => {
      const end = () => resolve({ state: "done", imports: [] });
      started.push({ owner_id, end });
      stop.addEventListener("abort", end);
    });

before(async () => {
  const { store, close: closeStore } = await openTestStore("sqlite");
  const first = { store, owner_id: await ensureOwner(store), now: Date.now };
  const opened = Promise.withResolvers<OpenedApp>();
  const answer = async (request: Request, env: object) => (await opened.promise).app.fetch(request, env);
  const { url: address, stop } = await listen(answer, { host: "127.0.0.1", port: 0, stop_ms: 100 });
  url = address;
  opened.resolve(await openApp(store, { url, importFileOf }));
  for (const owner_id of [first.owner_id, "ada", "ben"]) {
    if (owner_id !== first.owner_id)
      await store.addOwner({ owner_id, created_at: new Date().toISOString(), quota: {} });
    const parts = { ...first, owner_id };
    const halves = await openSession(await createLoginLink(parts, url));
    const page = await (await fetch(`${url}/console/settings`, { headers: { ...halves } })).text();
    const form_token = /name="form_token" value="([^"]+)"/.exec(page)?.[1] ?? "";
    sessions.set(owner_id, { halves, form_token, parts });
  }
  close = async () => {
    await stop();
    await closeStore();
  };
});
after(async () => {
  for (const { end } of started) end();
  await close?.();
});

/** Uploads a file; returns the status, and the id of the import. */
async function upload(owner_id: string) {
  const { halves, form_token } = sessions.get(owner_id)!;
  const body = new FormData();
  body.append("form_token", form_token);
  body.append("file", new File(["x"], "x.mbox"));
  const answer = await fetch(`${url}/console/import`, {
    method: "POST",
    body,
    headers: { ...halves },
    redirect: "manual",
  });
  return { status: answer.status, import_id: answer.headers.get("Location")?.split("/").at(-1) ?? "" };
}

/** An import has ended a moment before its upload is gone. */
const uploadSoon = (owner_id: string) => until(async () => (await upload(owner_id)).status === 303);

const countStarted = (owner_id: string) => started.filter((each) => each.owner_id === owner_id).length;
const stateOf = async (owner_id: string, import_id: string) =>
  (await findImportRun(sessions.get(owner_id)!.parts, import_id))?.state;

test("R57 two of an owner's uploads are imported at once, two are queued, and more are refused; others import meanwhile", async () => {
  const sent = [];
  for (let at = 0; at < 6; at += 1) sent.push(await upload("ada"));
  assert.deepEqual(
    sent.map(({ status }) => status),
    [303, 303, 303, 303, 429, 429],
  );
  assert.equal((await upload("ben")).status, 303);
  await until(() => countStarted("ben") === 1);
  assert.equal(countStarted("ada"), 2);

  // A queued one can be stopped.
  const { import_id = "" } = sent[3] ?? {};
  const { halves, form_token } = sessions.get("ada")!;
  const body = new URLSearchParams({ form_token });
  await fetch(`${url}/console/import/${import_id}/stop`, { method: "POST", body, headers: { ...halves } });
  await until(async () => (await stateOf("ada", import_id)) === "stopped");

  started[0]?.end();
  await until(() => countStarted("ada") === 3);
  await uploadSoon("ada");
  for (const { end } of started) end();
  await until(() => countStarted("ada") === 4);
});

test("R57 a server imports four uploads at once, and owners take turns", async () => {
  for (const { end } of started.splice(0)) end();
  const [owner = ""] = sessions.keys();
  for (const owner_id of [owner, owner, "ada", "ada", "ada", "ben"]) await uploadSoon(owner_id);
  await until(() => started.length === 4);
  assert.equal(countStarted("ben"), 0);
  // The third of ada's waits for her own limit first.
  started.find(({ owner_id }) => owner_id === owner)?.end();
  await until(() => countStarted("ben") === 1);
  assert.equal(countStarted("ada"), 2);
  started.find(({ owner_id }) => owner_id === "ada")?.end();
  await until(() => countStarted("ada") === 3);
});
