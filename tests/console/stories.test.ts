/** Every story of the console by keyboard alone, at both widths, with scripts and without them, on the sample data. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../../testing/console/browser.ts";
import { type ServedDemo, serveDemo } from "../../testing/console/demo.ts";
import { shown } from "../../testing/console/served.ts";

let browser: Browser;
let demo: ServedDemo;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "rungs-stories-"));
  [browser, demo] = await Promise.all([openBrowser(), serveDemo()]);
  writeFileSync(
    join(folder, "friends.vcf"),
    "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:u1\r\nFN:Ana Duarte\r\nEMAIL:ana@example.org\r\nEND:VCARD\r\n",
  );
  writeFileSync(
    join(folder, "plans.ics"),
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:e1\r\nDTSTART:20260301T090000Z\r\nDTEND:20260301T100000Z\r\nSUMMARY:Roof inspection\r\nLOCATION:At the barn\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
  );
});
after(async () => {
  await browser?.close();
  await demo?.close();
  rmSync(folder, { recursive: true });
});

/** Two of the four combinations cover both widths, and scripts on and off; the long form runs all of them. */
const WAYS = [
  [true, 390],
  [false, 1280],
  ...(process.env.RUNGS_LONG === undefined
    ? []
    : ([
        [true, 1280],
        [false, 390],
      ] as const)),
] as const;

for (const [javaScriptEnabled, width] of WAYS) {
  const way = `scripts ${javaScriptEnabled ? "on" : "off"}, ${width} wide`;

  test(`R44 the stories of the console by keyboard alone, ${way}`, async (context) => {
    const options = { javaScriptEnabled, viewport: { width, height: 800 } };
    const page = await (await browser.newContext(options)).newPage();
    context.after(() => page.context().close());
    const title = () => shown(page.getByRole("heading", { level: 1 }));
    const main = () => shown(page.getByRole("main"));
    const open = (path: string) => page.goto(`${demo.url}/console${path}`);
    const enter = async (name: string | RegExp, url: RegExp) => {
      const from = page.url();
      await press(page, name);
      // Two records have URLs of the same form.
      await page.waitForURL((at) => at.href !== from && url.test(at.href));
      await checkWidth(page);
    };

    await page.goto(await demo.loginLink());
    await enter("Sign in", /\/console$/);
    assert.match(await main(), /Three things to try/);
    await page.getByRole("img", { name: /Records of Mail at home/ }).waitFor();
    if (javaScriptEnabled) {
      await press(page, "Hide this");
      await page.locator(".tour").waitFor({ state: "hidden" });
      await page.reload();
      assert.equal(await page.locator(".tour").isVisible(), false, "it stays hidden");
    }

    // Lists, a mail and its thread.
    await enter("Chat messages", /\/streams\/chat\/messages/);
    await open("/streams/mail-home/messages");
    assert.match(await main(), /Everyone[\s\S]*241 records|241 records/);
    await enter("Next page", /cursor=/);
    await enter("Previous page", /messages$/);
    if (width < 700) await press(page, "Narrow it");
    await press(page, "Order");
    await page.keyboard.press("ArrowDown");
    await enter("Show", /sort=oldest/);
    await enter("The roof", /\/records\//);
    assert.equal(await page.locator(".record.message").count(), 1);
    await enter("Re: The roof", /\/records\//);
    assert.equal(await page.locator(".talk [aria-current]").count(), 1);

    // An assistant's conversation with its branches, a document beside its file.
    await open("/records/assistant%2Fmessages:c1-3");
    assert.match(await main(), /version 1 of 2[\s\S]*another branch/);
    await open("/records/assistant%2Fconversations:c1");
    assert.match(await main(), /Messages of conversations in it[\s\S]*version 1 of 2 · another branch/);
    await enter("My rear derailleur is bent. Can I straighten it?", /\/records\/assistant%2Fmessages:/);
    await open("/records/documents%2Fdocuments:accounts");
    assert.equal(await page.locator(".record.document .beside .file").count(), 1);

    // Search, narrowing, the window of a field.
    await enter("Search", /\/search/);
    await press(page, /A question, words/, false);
    await page.keyboard.type("roof tiles");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=roof\+tiles/);
    assert.match(await shown(page.getByRole("status").first()), /242 records found/);
    await enter(/^Documents 1$/, /connection_id=documents/);
    assert.match(await shown(page.getByRole("status").first()), /1 record found/);
    await enter(/^Read on in text/, /\/field\?/);
    assert.ok((await page.locator("mark").count()) > 0);

    // Activity and a receipt.
    await enter("Activity", /\/activity$/);
    await enter(/^demo agent, \d+ requests$/, /\/receipt/);
    assert.match(await main(), /searched everything[\s\S]*Mail at home: Messages m-/);

    // Rename a source, and preview its deletion.
    await open("");
    await press(page, "Rename Chat");
    await press(page, "New name", false);
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("Chats");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Chats" }).waitFor();
    await press(page, "Rename Chats");
    await press(page, "New name", false);
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("Chat");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Chat", exact: true }).waitFor();
    await enter("Delete Chat…", /\/delete/);
    assert.match(await main(), /120 records and the source will be gone/);
    await enter("Keep everything", /\/console$/);

    // Sync, settings, connect.
    await enter("Sync", /\/sync$/);
    assert.match(await main(), /Add the mailbox/);
    await enter("Settings", /\/settings$/);
    assert.match(await main(), /demo agent reads under its grant/);
    await enter("Connect an agent", /\/connect$/);
    assert.equal(await title(), "Connect an agent");

    if (javaScriptEnabled) {
      await page.keyboard.press("ControlOrMeta+k");
      await page.keyboard.type("Activ");
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/activity/);
    }
    await press(page, "Sign out");
    await page.waitForURL(/\/sign-in/);
  });
}

test("R44 an upload is inspected and imported by keyboard, and events and contacts have their own layout", async (context) => {
  const options = { javaScriptEnabled: false, viewport: { width: 390, height: 800 } };
  const page = await (await browser.newContext(options)).newPage();
  context.after(() => page.context().close());
  const open = (path: string) => page.goto(`${demo.url}/console${path}`);
  await page.goto(await demo.loginLink());
  await press(page, "Sign in");
  await page.waitForURL(/\/console$/);
  await press(page, "Import");
  await page.waitForURL(/\/import$/);
  await press(page, /^First say what it is/, false);
  await page.keyboard.press("Space");
  await page.getByLabel("Files").setInputFiles([join(folder, "friends.vcf"), join(folder, "plans.ics")]);
  await press(page, "Upload and import");
  await page.getByRole("button", { name: "Import it" }).waitFor({ timeout: 30_000 });
  await press(page, "Import it");
  await page.getByText("Done:").first().waitFor({ timeout: 30_000 });
  await open("/search?q=roof+inspection");
  await press(page, "Roof inspection");
  await page.waitForURL(/\/records\//);
  assert.match(await shown(page.locator(".record.event")), /2026-03-01 09:00[\s\S]*At the barn/);
  await checkWidth(page);
  await open("/search?q=%22Ana+Duarte%22+example.org");
  await press(page, "Ana Duarte");
  await page.waitForURL(/\/records\//);
  const card = await shown(page.locator(".record.card"));
  assert.match(card, /ana@example\.org/);
  assert.doesNotMatch(card, /\bu1\b/, "its key is behind the fold");
  await checkWidth(page);
});

const NAME = `(() => {
  const at = document.activeElement;
  const labels = [...(at.labels ?? [])].map((each) => each.textContent);
  return (at.getAttribute("aria-label") ?? (labels.length > 0 ? labels.join(" ") : at.textContent)).replace(/\\s+/g, " ").trim();
})()`;
const TABS_MAX = 400;

/** Moves the focus with the Tab key to a control by its name, and presses Enter. */
async function press(page: Page, name: string | RegExp, isPressed = true): Promise<void> {
  for (let at = 0; at < TABS_MAX; at += 1) {
    await page.keyboard.press("Tab");
    const found = String(await page.evaluate(NAME));
    const isIt = typeof name === "string" ? found === name || found.startsWith(`${name} `) : name.test(found);
    if (!isIt) continue;
    if (isPressed) await page.keyboard.press("Enter");
    return;
  }
  assert.fail(`Tab does not reach ${name} on ${page.url()}`);
}

async function checkWidth(page: Page): Promise<void> {
  const isWide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
  assert.equal(await page.evaluate(isWide), false, `${page.url()} scrolls sideways`);
}
