/** Syncs through the console: a mailbox is added, fills, answers an agent, is paused and removed. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createGrant, writeGrantRequest } from "@rungs/server";
import { createSecretKeeper, keepSyncing } from "@rungs/sources";
import type { Browser } from "playwright-core";
import { openBrowser } from "../../testing/console/browser.ts";
import { type ServedConsole, serveConsole, shown } from "../../testing/console/served.ts";
import { type MailServer, PASSWORD, USER } from "../../testing/imap/mail-account.ts";
import { MAIL_SERVER, openMailbox, startMailServer } from "../../testing/imap/mail-server.ts";
import { writeMessage } from "../../testing/imap/sync-world.ts";
import { connectHttp } from "../../testing/mcp/connect.ts";

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
  const secrets = createSecretKeeper(join(home, "sources.key"));
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

test(`R55 R78 R79 a mailbox is added, fills, answers an agent over MCP, shows in activity, is paused and removed (${MAIL_SERVER})`, async () => {
  const page = await served.signIn(browser, { javaScriptEnabled: false });
  await page.goto(`${served.url}/console/import`);
  await page.getByRole("link", { name: "keep itself up to date" }).click();
  const add = async (password: string) => {
    await page.getByLabel("Mail server (IMAP)").fill("127.0.0.1");
    await page.getByLabel("Port").fill(String(mail.port));
    await page.getByLabel("Encryption").selectOption("none");
    await page.getByLabel("User name").fill(USER);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Add the mailbox" }).click();
  };
  await add("wrong-password");
  assert.match(await shown(page.getByRole("alert")), /refused the sign-in/);
  assert.ok(!(await page.content()).includes("wrong-password"));
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
