/**
 * Syncs through the console, without scripts: each kind of source is added, fills, is paused and removed; and who may
 * name a folder.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createGrant, createLoginLink, writeGrantRequest } from "@rungs/server";
import { createSecretKeeper, keepSyncing } from "@rungs/sources";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../../testing/console/browser.ts";
import { openSession, type ServedConsole, serveConsole, shown } from "../../testing/console/served.ts";
import { DavWriter, makeCard, makeEvent } from "../../testing/dav/dav-server.ts";
import { startPlainServer } from "../../testing/dav/plain-server.ts";
import { type MailServer, PASSWORD, USER } from "../../testing/imap/mail-account.ts";
import { MAIL_SERVER, openMailbox, startMailServer } from "../../testing/imap/mail-server.ts";
import { writeMessage } from "../../testing/imap/sync-world.ts";
import { connectHttp } from "../../testing/mcp/connect.ts";
import { findBarriers } from "./barriers.ts";

let browser: Browser;
let served: ServedConsole;
let mail: MailServer;
const home = mkdtempSync(join(tmpdir(), "rungs-sync-page-"));
const end = new AbortController();
let syncing: Promise<void>;
before(async () => {
  [browser, served, mail] = await Promise.all([
    openBrowser(),
    serveConsole("sqlite", "127.0.0.1", home),
    startMailServer(),
  ]);
  const box = await openMailbox(mail);
  await box.append("INBOX", writeMessage("one@x", { subject: "Quince harvest" }));
  await box.logout();
  const secrets = createSecretKeeper({ file: join(home, "sources.key") });
  syncing = keepSyncing(
    { ...served.parts, contextOf: () => ({ ...served.parts, secrets, work_folder: home }) },
    end.signal,
  );
});
after(async () => {
  end.abort();
  await syncing;
  await browser?.close();
  await served?.close();
  await mail?.stop();
  rmSync(home, { recursive: true, force: true });
});

async function findSync() {
  const [sync] = await served.parts.store.listSyncs(served.parts.owner_id);
  assert.ok(sync);
  return sync;
}

/** A refusal expands the choices. */
async function openChoices(page: Page): Promise<void> {
  if (!(await page.getByLabel("Minutes between two reads").isVisible()))
    await page.getByText("More choices").click();
}

test(`R55 R78 R79 a mailbox is added, fills, answers an agent over MCP, shows in activity, is paused and removed (${MAIL_SERVER})`, async () => {
  const page = await served.signIn(browser, { javaScriptEnabled: false });
  await page.goto(`${served.url}/console/import`);
  await page.getByRole("link", { name: "keep itself up to date" }).click();
  const add = async (password: string) => {
    await page.getByLabel("Mail server (IMAP)").fill("127.0.0.1");
    await openChoices(page);
    await page.getByLabel("Port").fill(String(mail.port));
    await page.getByLabel("Encryption").selectOption("none");
    await page.getByLabel("User name").fill(USER);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Add the mailbox" }).click();
  };
  await add("wrong-password");
  assert.match(await shown(page.getByRole("alert")), /refused the sign-in/);
  assert.ok(!(await page.content()).includes("wrong-password"));
  assert.equal(await page.getByLabel("User name").inputValue(), USER);
  assert.equal(await page.getByLabel("Encryption").inputValue(), "none");
  await add(PASSWORD);
  await page.getByText("Done: 1 added").first().waitFor({ timeout: 20_000 });
  assert.match(await shown(page.getByRole("main")), new RegExp(`connects to 127\\.0\\.0\\.1:${mail.port}`));
  assert.ok(!(await page.content()).includes(PASSWORD));
  const here = page.url();
  await page.goto(`${served.url}/console/search?q=quince`);
  assert.match(await shown(page.getByRole("main")), /Quince harvest/);
  const client_id = "an agent that asks";
  const { connection_id } = await findSync();
  const chosen = [{ connection_id, stream: "messages", fields: ["subject", "body", "from"] }];
  const order = { client: { client_id }, details: await writeGrantRequest(served.parts, chosen) };
  const { token } = await createGrant(served.parts, order);
  const agent = await connectHttp({ url: served.url, token });
  const found = await agent.callTool({ name: "search", arguments: { query: "When is the quince harvest?" } });
  await agent.close();
  assert.match(JSON.stringify(found.content), /Quince harvest/);
  await page.goto(`${served.url}/console/activity?client=${encodeURIComponent(client_id)}`);
  assert.match(await shown(page.getByRole("main")), /an agent that asks.*search/s);
  await page.goto(here);
  await page.getByRole("button", { name: "Pause" }).click();
  assert.match(await shown(page.getByRole("main")), /Paused/);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Remove" }).click();
  assert.ok(!(await shown(page.getByRole("main"))).includes("connects to"));
});

test("R76 a folder of the server is added, fills, is paused and removed; a refusal keeps what was typed", async () => {
  const notes = join(home, "notes");
  mkdirSync(join(notes, "drafts"), { recursive: true });
  writeFileSync(join(notes, "medlar.md"), "# Medlar jelly\n\nBletted in November.\n");
  writeFileSync(join(notes, "drafts", "sloe.md"), "# Sloe gin\n");
  const page = await served.signIn(browser, { javaScriptEnabled: false });
  await page.goto(`${served.url}/console/sync`);
  await page.getByRole("link", { name: "Folder", exact: true }).click();
  const path = page.getByLabel("Path of the folder on the server");
  const add = page.getByRole("button", { name: "Add the folder" });
  await path.fill("notes");
  await openChoices(page);
  await page.getByLabel("Minutes between two reads").fill("60");
  await page.getByLabel("Folders inside to leave out").fill("drafts\n");
  await page.getByLabel("Leave mbox files").check();
  await page.getByLabel("Keep records").check();
  await page.getByLabel("Name of the sync").fill("my-notes");
  await add.click();
  assert.match(await shown(page.getByRole("alert")), /must be absolute.*\/home\/me\/Notes/);
  assert.deepEqual([await path.inputValue(), await path.getAttribute("aria-invalid")], ["notes", "true"]);
  await path.fill(join(notes, "none"));
  await add.click();
  assert.match(await shown(page.getByRole("alert")), /it is not there/);
  await path.fill(notes);
  await page.getByLabel("Minutes between two reads").fill("99999");
  await add.click();
  assert.match(await shown(page.getByRole("alert")), /whole number of minutes/);
  await page.getByLabel("Minutes between two reads").fill("60");
  await add.click();
  await page.getByText("Done: 1 added").first().waitFor({ timeout: 20_000 });
  assert.match(await shown(page.getByRole("main")), /on the disk of the server/);
  const { sync_id, schedule, keeps_deleted, settings } = await findSync();
  assert.deepEqual(
    { sync_id, schedule, keeps_deleted, settings },
    {
      sync_id: "my-notes",
      schedule: { kind: "every", minutes: 60 },
      keeps_deleted: true,
      settings: { path: notes, documents_only: true, without_folders: ["drafts"] },
    },
  );
  const here = page.url();
  await page.goto(`${served.url}/console/search?q=bletted`);
  assert.match(await shown(page.getByRole("main")), /Medlar jelly/);
  await page.goto(here);
  await page.getByRole("button", { name: "Pause" }).click();
  assert.match(await shown(page.getByRole("main")), /Paused/);
  await page.getByRole("button", { name: "Remove" }).click();
  await page.waitForURL(`${served.url}/console/sync`);
  assert.deepEqual(await served.parts.store.listSyncs(served.parts.owner_id), []);
});

test("R78 calendars and contacts are added and fill, and no refusal shows a password again", async (t) => {
  const dav = await startPlainServer();
  t.after(() => dav.stop());
  const writer = new DavWriter(dav);
  await writer.addCalendar("work");
  await writer.addAddressBook("people");
  await writer.put("work/e1.ics", makeEvent("e1", "Pruning"));
  await writer.put("people/c1.vcf", makeCard("c1", "Jo Lake"));
  const page = await served.signIn(browser, { javaScriptEnabled: false });
  for (const kind of ["Calendars", "Contacts"]) {
    await page.goto(`${served.url}/console/sync`);
    await page.getByRole("link", { name: kind, exact: true }).click();
    const address = page.getByLabel("Address of the server");
    const add = async (url: string, password: string) => {
      await address.fill(url);
      await page.getByLabel("User name").fill(dav.user);
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: `Add the ${kind.toLowerCase()}` }).click();
    };
    await add(dav.url.replace("//", "//jo:hush@"), "hush");
    assert.match(await shown(page.getByRole("alert")), /user name or a password in it/);
    assert.ok(!(await page.content()).includes("hush"), kind);
    await add(dav.url, "wrong");
    assert.match(await shown(page.getByRole("alert")), /refused the sign-in/);
    assert.equal(await address.inputValue(), dav.url);
    await add(dav.url, dav.password);
    await page.getByText("Done: 1 added").first().waitFor({ timeout: 20_000 });
    await page.getByRole("button", { name: "Remove" }).click();
  }
});

test("the form of each kind has no accessibility problems and fits a phone and a desk", async () => {
  const page = await served.signIn(browser);
  for (const kind of ["imap", "caldav", "carddav", "folder"]) {
    await page.goto(`${served.url}/console/sync?kind=${kind}`);
    await page.getByText("More choices").click();
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      assert.deepEqual(await findBarriers(page), [], kind);
      const wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
      assert.equal(await page.evaluate(wide), false, `${kind} scrolls sideways`);
    }
  }
});

test("R126 only administrators add sources, and only whoever runs the server adds its folders and local servers", async () => {
  const { store, now } = served.parts;
  await store.addOwner({ owner_id: "ada", created_at: new Date().toISOString(), quota: {} });
  const ada = { ...(await openSession(await createLoginLink({ store, now, owner_id: "ada" }, served.url))) };
  const address = `${served.url}/console/sync`;
  const show = async () => (await fetch(`${address}?kind=folder`, { headers: ada })).text();
  assert.match(await show(), /npx rungs sync add imap [^<]* --owner ada</);
  assert.doesNotMatch(await show(), /action="\/console\/sync"/);
  await store.changeAccount("ada", { is_admin: true });
  const page = await show();
  assert.doesNotMatch(page, /name="path"/);
  assert.match(page, /npx rungs sync add connector [^<]* --owner ada</);
  const form_token = /name="form_token" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const add = async (form: Record<string, string>) => {
    const body = new URLSearchParams({ form_token, ...form });
    const answer = await fetch(address, { method: "POST", headers: ada, body, redirect: "manual" });
    return [answer.status, /<p class="notice"[^>]*>([^<]*)/.exec(await answer.text())?.[1]];
  };
  const notice =
    "Only whoever runs this server may name a folder or an address of its machine. Upload the files as an import, or ask them to add the source for you.";
  const account = { user: USER, password: PASSWORD };
  const forms: readonly Record<string, string>[] = [
    // They cannot tell an existing folder from a missing one.
    { kind: "folder", path: home },
    { kind: "folder", path: join(home, "none") },
    { kind: "imap", host: "127.0.0.1", port: String(mail.port), security: "none", ...account },
    { kind: "caldav", url: "http://[::1]:9/", ...account },
  ];
  for (const form of forms) assert.deepEqual(await add(form), [403, notice], JSON.stringify(form));
  await store.changeAccount("ada", { is_admin: false });
  const refused = "Only an administrator of this server may do this. Ask the server&#39;s administrator.";
  for (const form of [...forms, { kind: "imap", host: "imap.invalid", ...account }])
    assert.deepEqual(await add(form), [403, refused], JSON.stringify(form));
  assert.deepEqual(await store.listSyncs("ada"), []);
});
