/** The owner deletes a record, then a connection, in a real browser (R73). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { formatRecordPage } from "@rungs/contract";
import type { Browser } from "playwright-core";
import { openBrowser } from "../../testing/console/browser.ts";
import { type ServedConsole, serveConsole, shown } from "../../testing/console/served.ts";

let browser: Browser;
let served: ServedConsole;
before(async () => {
  [browser, served] = await Promise.all([openBrowser(), serveConsole()]);
});
after(async () => {
  await browser?.close();
  await served?.close();
});

test("R73 a record is deleted at once, a connection once its name is typed, and neither can be found again", async () => {
  const page = await served.signIn(browser, { viewport: { width: 390, height: 800 } });
  const main = page.getByRole("main");
  const record = formatRecordPage({ connection_id: "home", stream: "notes", record_id: "long" });
  await page.goto(`${served.url}${record}`);
  await page.getByRole("link", { name: "Delete this record…" }).click();
  assert.match(await shown(main), /Delete “The lake”\?[\s\S]*1 record will be gone for good/);
  await page.getByRole("button", { name: "Delete for good" }).click();
  assert.match(page.url(), /\/console\/streams\/home\/notes$/);
  assert.equal((await page.goto(`${served.url}${record}`))?.status(), 404);

  await page.goto(`${served.url}/console`);
  await page.getByRole("link", { name: "Delete Home …" }).click();
  await page.getByLabel("Type home to confirm").fill("hom");
  await page.getByRole("button", { name: "Delete for good" }).click();
  assert.match(await shown(page.getByRole("alert")), /Type home exactly\. Nothing was deleted/);
  await page.getByLabel("Type home to confirm").fill("home");
  await page.getByRole("button", { name: "Delete for good" }).click();
  assert.match(await shown(main), /in 1 source\./);
  assert.deepEqual(await served.parts.store.check(served.parts.owner_id), []);
  await page.goto(`${served.url}/console/activity?who=all`);
  assert.match(await shown(main), /deleted a connection/);
});
