/** The owner's first hour in a real browser, with scripts and without them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createOwnerToken } from "@rungs/server";
import type { Browser } from "playwright-core";
import { openBrowser } from "../../testing/console/browser.ts";
import { LONG_TEXT, lookAt, type ServedConsole, serveConsole, shown } from "../../testing/console/served.ts";

let browser: Browser;
let served: ServedConsole;
let onPostgres: ServedConsole;
before(async () => {
  [browser, served, onPostgres] = await Promise.all([
    openBrowser(),
    serveConsole("sqlite"),
    serveConsole("postgres"),
  ]);
});
after(async () => {
  await browser?.close();
  await Promise.all([served.close(), onPostgres.close()]);
});

const here = { sqlite: () => served, postgres: () => onPostgres };

for (const javaScriptEnabled of [false, true]) {
  const scripts = javaScriptEnabled ? "with scripts" : "without scripts";
  const engine = javaScriptEnabled ? "sqlite" : "postgres";

  test(`R44 R55 the owner signs in, searches, reads a window, grants, watches and revokes, ${scripts}, on ${engine}`, async () => {
    const served = here[engine]();
    const page = await served.signIn(browser, { javaScriptEnabled });
    const main = page.getByRole("main");
    assert.match(await shown(main), /33 records in 2 sources/);
    // A page does not wait for slow counts: it refreshes itself.
    await page.getByRole("img", { name: /Records of Home by day, .* to 2026-03-01/ }).waitFor();

    await page.getByRole("searchbox").fill("+heron +stands");
    await page.getByRole("button", { name: "Search" }).click();
    assert.match(await shown(main), /1 record found/);
    assert.equal((await page.locator("mark").allInnerTexts()).join(" "), "heron stands");
    await page.getByRole("link", { name: "Read on in body" }).click();
    const window = await shown(page.locator(".window"));
    assert.ok(LONG_TEXT.includes(window.trimEnd()) && window.includes("漢字 and 😀"));
    assert.equal((await page.locator("mark").allInnerTexts()).join(" "), "heron stands");
    await page.getByRole("link", { name: "Next part" }).first().click();
    assert.equal(await shown(page.getByRole("heading", { level: 1 })), "The lake: body");
    const next = await shown(page.locator(".window"));
    assert.ok(LONG_TEXT.includes((window + next).trimEnd()), "the windows join without a gap");

    await page.getByRole("searchbox", { name: "Find in this field" }).fill("line 700 of");
    await page.getByRole("button", { name: "Find" }).click();
    assert.ok((await page.locator("mark").allInnerTexts()).length > 0);
    await page.getByRole("searchbox", { name: "Find in this field" }).fill("pelican");
    await page.getByRole("button", { name: "Find" }).click();
    assert.match(await shown(main), /“pelican” does not occur in this field/);
    await page.getByRole("link", { name: "The whole record" }).click();
    assert.ok((await shown(main)).includes(`${[...LONG_TEXT].length.toLocaleString("en")} characters`));

    await page.getByRole("link", { name: "Grants" }).click();
    await page.getByRole("link", { name: "Make a grant" }).click();
    await page.getByLabel("Who may read").fill(`reader ${scripts}`);
    const home = page.getByRole("group", { name: "Home" });
    await home.getByRole("checkbox", { name: "Notes" }).check();
    await page.getByRole("button", { name: "Preview" }).click();
    await home.getByText("Fields and times of Notes").click();
    await home.getByRole("combobox", { name: "secret" }).selectOption("left out");
    await home.getByLabel("From").first().fill("2026-01-15");
    await lookAt(page);
    assert.match(await shown(page.locator("#preview")), /from 2026-01-15/);
    await page.getByRole("button", { name: "Make the grant" }).click();
    const token = await shown(page.getByLabel("Token", { exact: true }));
    assert.match(await shown(main), /Home: Notes from 2026-01-15 00:00 UTC\s+10 fields: .*title, body/);

    const read = (path: string) =>
      fetch(served.url + path, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal((await read("/v1/streams/notes/records/n1")).status, 200);
    assert.equal((await read("/v1/streams/notes/records/long")).status, 404, "before the granted time");
    const schema = (await (await read("/v1/schema")).json()) as { streams: { fields: { name: string }[] }[] };
    assert.ok(!schema.streams[0]!.fields.some(({ name }) => name === "secret"));

    await page.getByRole("link", { name: "Activity" }).click();
    await page.getByRole("combobox", { name: /^Client/ }).selectOption(`reader ${scripts}`);
    await page.getByRole("button", { name: "Show" }).click();
    const log = await shown(page.locator(".log"));
    assert.match(log, new RegExp(`reader ${scripts} read Home: Notes n1`));
    assert.match(log, /found nothing when it tried to read notes of every source long\n[^\n]*status 404/);
    assert.doesNotMatch(log, /owner/);

    assert.match(log, new RegExp(`reader ${scripts} got a grant · all under it`));
    await page.getByRole("link", { name: `reader ${scripts}, 3 requests` }).click();
    const receipt = await shown(page.locator(".receipt"));
    assert.match(receipt, /^1\. read\s|^read\s/);
    assert.match(receipt, /Home: Notes n1/);
    await page.getByRole("link", { name: "Activity", exact: true }).click();
    assert.doesNotMatch(await shown(main), /You signed in/);
    await page.getByRole("combobox", { name: /^Show/ }).selectOption("all");
    await page.getByRole("button", { name: "Show" }).click();
    assert.match(await shown(page.locator(".log")), /You signed in/);

    await page.getByRole("link", { name: "Grants" }).click();
    await page.getByRole("link", { name: `Revoke the grant of reader ${scripts}` }).click();
    assert.equal((await read("/v1/streams/notes/records/n1")).status, 200, "asking changes nothing");
    await page.getByRole("button", { name: "Revoke the grant" }).click();
    assert.match(await shown(main), /Ended[\s\S]*revoked/);
    const refused = await read("/v1/streams/notes/records/n1");
    assert.equal(((await refused.json()) as { error: { code: string } }).error.code, "grant_revoked");

    await page.getByRole("link", { name: `What reader ${scripts} read` }).click();
    assert.match(
      await shown(page.locator(".log")),
      new RegExp(`reader ${scripts} lost its grant · all under it`),
    );

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.goto(`${served.url}/console/grants`);
    assert.equal(new URL(page.url()).pathname, "/console/sign-in");
    await page.context().close();
  });
}

test("R32 a link to a record leads to its page, through sign-in", async () => {
  const page = await (await browser.newContext()).newPage();
  const path = "/console/records/home%2Fnotes%3An3";
  await page.goto(served.url + path);
  assert.equal(new URL(page.url()).pathname, "/console/sign-in");
  await page.getByLabel("The link, or its code").fill(await served.loginLink());
  await page.getByRole("button", { name: "Sign in" }).click();
  assert.equal(page.url(), served.url + path);
  assert.equal(await shown(page.getByRole("heading", { level: 1 })), "Note 3");
  await page.context().close();
});

test("sessions are listed and ended, and a password signs in and ends the other sessions", async () => {
  const [first, second] = [await served.signIn(browser), await served.signIn(browser)];
  const sessions = first.getByRole("listitem").filter({ hasText: "last seen" });
  await first.goto(`${served.url}/console/settings`);
  assert.ok((await sessions.count()) >= 2);
  await first.getByLabel(/^Password/).fill("a long enough password");
  await first.getByRole("button", { name: "Set the password" }).click();
  assert.equal(await sessions.count(), 1);
  await second.reload();
  assert.equal(new URL(second.url()).pathname, "/console/sign-in");
  await second.getByLabel("Or your password").fill("a long enough password");
  await second.getByRole("button", { name: "Sign in with the password" }).click();
  assert.equal(await shown(second.getByRole("heading", { level: 1 })), "Your data");
  await first.reload();
  await sessions.getByRole("button", { name: "End" }).click();
  await second.reload();
  assert.equal(new URL(second.url()).pathname, "/console/sign-in");
  await first.getByRole("button", { name: "Remove the password" }).click();
  await second.reload();
  assert.equal(await second.getByLabel("Or your password").count(), 0);
  await first.goto(`${served.url}/console/activity?client=owner`);
  const log = await shown(first.locator(".log"));
  for (const words of [/You removed the password/, /You ended a session/, /You set the password/]) {
    assert.match(log, words);
  }
  await Promise.all([first.context().close(), second.context().close()]);
});

test("tokens are listed on the settings page by an id that grants no access, and revoked there", async () => {
  const token = await createOwnerToken(served.parts);
  const headers = { Authorization: `Bearer ${token}` };
  const read = async () => (await fetch(`${served.url}/v1/schema`, { headers })).status;
  const page = await served.signIn(browser, { javaScriptEnabled: false });
  await page.getByRole("link", { name: "Settings" }).click();
  const item = page.getByRole("listitem").filter({ hasText: "owner may do everything" });
  assert.equal(await item.count(), 1);
  assert.ok(!(await page.content()).includes(token));
  assert.equal(await read(), 200);
  await item.getByRole("button", { name: "End" }).click();
  assert.equal(await item.count(), 0);
  assert.equal(await read(), 401);
  await page.context().close();
});
