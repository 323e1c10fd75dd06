/** The owner chooses what an agent reads: by keyboard, with and without scripts, at both widths. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { copyMaskedRecords, listGrants } from "@rungs/server";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { openBrowser } from "../../testing/console/browser.ts";
import { type ServedDemo, serveDemo } from "../../testing/console/demo.ts";
import { shown } from "../../testing/console/served.ts";
import type { Json } from "../../testing/world.ts";
import { findBarriers } from "./barriers.ts";

let browser: Browser;
let demo: ServedDemo;
before(async () => {
  [browser, demo] = await Promise.all([openBrowser(), serveDemo()]);
});
after(async () => {
  await browser?.close();
  await demo?.close();
});

const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 780 } } as const;
const IS_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth";

async function signIn(options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage();
  await page.goto(await demo.loginLink());
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${demo.url}/console`);
  return page;
}

const open = (page: Page, path: string) => page.goto(`${demo.url}/console${path}`);
const read = (token: string, path: string) =>
  fetch(demo.url + path, { headers: { Authorization: `Bearer ${token}` } });
const readJson = async (token: string, path: string): Promise<Json> => (await read(token, path)).json();

/** Moves the focus by the Tab key alone. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor({ state: "attached" });
  for (let step = 0; step < 150; step += 1) {
    if (await target.and(page.locator(":focus")).count()) return;
    await page.keyboard.press("Tab");
  }
  assert.fail("the keyboard does not reach it");
}

async function pressOn(page: Page, target: Locator, key: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

/** Waits until the form shows what the last keys chose; without scripts, a button does. */
async function preview(page: Page, hasScripts: boolean, part: Locator): Promise<void> {
  if (!hasScripts) await pressOn(page, page.getByRole("button", { name: "Preview" }), "Enter");
  await part.first().waitFor();
}

for (const javaScriptEnabled of [true, false]) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    const how = `${javaScriptEnabled ? "with" : "without"} scripts, ${size}`;

    test(`R80 R82 the roof conversation, without phone numbers, for a week, by keyboard (${how})`, async () => {
      const page = await signIn({ viewport, javaScriptEnabled });
      await open(page, "/grants/new");
      assert.equal(await page.getByRole("button", { name: "Make the grant" }).isDisabled(), true);
      await tabTo(page, page.getByLabel("Who may read"));
      await page.keyboard.type(`Roof helper ${how}`);
      const mail = page.getByRole("group", { name: "Mail at home" });
      await pressOn(page, mail.getByRole("checkbox", { name: "Messages" }), "Space");
      const find = mail.getByLabel(/Only some/);
      await preview(page, javaScriptEnabled, find);
      await tabTo(page, find);
      await page.keyboard.type("roof");
      if (!javaScriptEnabled) await page.keyboard.press("Enter");
      const roof = mail.getByRole("checkbox", { name: "The roof 241" });
      await mail.getByText("Person", { exact: true }).waitFor({ state: "hidden" });
      await pressOn(page, roof, "Space");
      await pressOn(page, page.getByText("Without some values, such as phone numbers"), "Enter");
      await pressOn(page, page.getByRole("checkbox", { name: "phone numbers" }), "Space");
      await tabTo(page, page.getByLabel("For how long"));
      await page.keyboard.type("a week");
      const seen = page.locator("#preview", { hasText: "Without phone numbers" });
      await preview(page, javaScriptEnabled, seen);
      assert.match(await shown(seen), /241 records[\s\S]*thread_id is "roof"[\s\S]*\[phone-[b-z]{8}\]/);
      assert.doesNotMatch(await shown(seen), /5557/);
      assert.equal(await page.evaluate(IS_WIDE), false);
      // axe waits for timers, which do not run without scripts.
      if (javaScriptEnabled) assert.deepEqual(await findBarriers(page), []);
      await pressOn(
        page,
        page.getByRole("checkbox", { name: "I have looked at what it would read" }),
        "Space",
      );
      await pressOn(page, page.getByRole("button", { name: "Make the grant" }), "Enter");
      const token = await shown(page.getByLabel("Token", { exact: true }));

      await copyMaskedRecords(demo.parts);
      const { streams } = await readJson(token, "/v1/schema");
      assert.deepEqual(
        streams.map(({ connection_id, record_count }: Json) => [connection_id, record_count]),
        [["mail-home", 241]],
      );
      assert.equal((await readJson(token, "/v1/search?q=5557")).data.length, 0);
      const found = (await listGrants(demo.parts)).find(({ grant }) => grant.client.client_id.endsWith(how));
      assert.ok(found?.grant.expires_at);
      const days = (Date.parse(found.grant.expires_at) - Date.parse(found.grant.issued_at)) / 86_400_000;
      assert.equal(Math.round(days), 7);
      await page.context().close();
    });
  }
}

test("R80 a choice made while the previous preview is in flight is kept", async () => {
  const page = await signIn();
  await open(page, "/grants/new");
  // Delays the first response; the next choice is made just before it arrives.
  await page.evaluate(`(() => {
    const ask = window.fetch;
    window.fetch = async (url, init) => {
      window.fetch = ask;
      const body = await (await ask(url, init)).text();
      document.querySelector("[name=stream][value='chat/messages']").click();
      if (init.signal.aborted) throw new DOMException("", "AbortError");
      return new Response(body);
    };
  })()`);
  await page.getByRole("group", { name: "Mail at work" }).getByRole("checkbox", { name: "Messages" }).check();
  await page.locator("#preview", { hasText: "Chat: Chat messages" }).waitFor({ timeout: 10_000 });
  assert.equal(await page.getByRole("checkbox", { name: "Chat messages" }).isChecked(), true);
  await page.context().close();
});

test("R80 chips can be removed, all-but-some works, and select-all takes every stream", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const page = await signIn({ javaScriptEnabled });
    await open(page, "/grants/new");
    const work = page.getByRole("group", { name: "Mail at work" });
    await work.getByRole("checkbox", { name: "Messages" }).check();
    await page.getByRole("button", { name: "Preview" }).click();
    const seen = page.locator("#preview");
    await page.locator("#preview", { hasText: "120 records" }).waitFor();
    await work.getByRole("checkbox", { name: /^Ana Duarte/ }).check();
    await work.getByRole("checkbox", { name: /^Lars Holm/ }).check();
    await page.getByRole("button", { name: "Preview" }).click();
    await page.locator("#preview", { hasText: 'from in "' }).waitFor();
    const [, some] = /(\d+) records/.exec(await shown(seen)) ?? [];
    assert.match(await shown(seen), new RegExp(`${120 - Number(some)} left out`));
    await work.getByRole("combobox", { name: /^Person/ }).selectOption("all but these");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.locator("#preview", { hasText: "from not in" }).waitFor();
    assert.match(await shown(seen), new RegExp(`^${120 - Number(some)} records`, "m"));
    await work.locator("label.chip", { hasText: "Lars" }).click();
    await page.getByRole("button", { name: "Preview" }).click();
    await page.locator("#preview", { hasText: 'from not in "Ana Duarte".' }).waitFor();
    await page.getByRole("button", { name: "All of these in Assistant" }).click();
    await page.getByRole("button", { name: "None of these in Assistant" }).waitFor();
    assert.equal(await seen.getByRole("article").count(), 3);
    await page.getByLabel("Filter the sources").fill("chat");
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("group", { name: "Documents" }).waitFor({ state: "hidden" });
    assert.equal(await page.getByRole("group", { name: "Chat" }).count(), 1);
    assert.equal(await work.count(), 1, "what is chosen stays in sight");
    await page.context().close();
  }
});

test("the pages of rules, explanations and changes have no accessibility problems", async () => {
  const page = await signIn({ viewport: SIZES.phone });
  const [first] = await listGrants(demo.parts);
  for (const path of [
    `/grants/${first?.grant.grant_id}/change`,
    "/grants",
    "/hidden?kind=person&text=Kenji*",
    "/explain?record=mail-home/messages:m-0003",
    `/explain?record=mail-home/messages:m-0003&grant=${first?.grant.grant_id}`,
  ]) {
    await open(page, path);
    assert.deepEqual(await findBarriers(page), [], path);
    assert.equal(await page.evaluate(IS_WIDE), false, path);
  }
  await page.context().close();
});
