/** An agent asks, and the owner answers in a real browser: what is shown is what is granted. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listGrants } from "@rungs/server";
import type { Browser, Page } from "playwright-core";
import { type Agent, createAgent } from "../../testing/console/agent.ts";
import { openBrowser } from "../../testing/console/browser.ts";
import { lookAt, SCRIPT, type ServedConsole, serveConsole, shown } from "../../testing/console/served.ts";
import { library } from "../../testing/library.ts";
import type { Json } from "../../testing/world.ts";
import { findBarriers } from "./barriers.ts";

let browser: Browser;
let served: ServedConsole;
let agent: Agent;
before(async () => {
  [browser, served] = await Promise.all([openBrowser(), serveConsole()]);
  agent = await createAgent(served.url, SCRIPT);
});
after(async () => {
  agent.stop();
  await browser?.close();
  await served?.close();
});

const REQUEST = {
  type: "https://pdpp.dev/data-access",
  source: { id: library.source.id },
  purpose_code: "https://pdpp.dev/purpose/assistance",
  purpose_description: `Finds birds. ${SCRIPT}`,
  access_mode: "continuous",
  streams: [{ name: "notes", instance_ids: ["home"], fields: ["title", "body", "written_at", "secret"] }],
  client_claims: { commitments: ["Never sells anything."] },
};

const ALLOW = { name: "Allow exactly what is shown" };
/** The owner approves: two steps, both possible with the keyboard alone. */
async function allow(page: Page): Promise<void> {
  await page.getByRole("checkbox", { name: "I have looked at what it would read" }).press("Space");
  await page.getByRole("button", ALLOW).press("Enter");
}
const count = async () => (await listGrants(served.parts)).length;
const back = (page: Page) => page.waitForURL((url) => url.href.startsWith(agent.callback));

for (const javaScriptEnabled of [false, true]) {
  const scripts = javaScriptEnabled ? "with scripts" : "without scripts";

  test(`the owner sees who asks for what, removes something, and only the rest is granted, ${scripts}`, async () => {
    const page = await (await browser.newContext({ javaScriptEnabled })).newPage();
    await page.goto(agent.authorizationUrl([REQUEST]));
    await page.getByLabel("The link, or its code").fill(await served.loginLink());
    await page.getByRole("button", { name: "Sign in" }).click();
    const main = page.getByRole("main");
    const asked = await shown(main);
    assert.ok(
      asked.includes(`calls itself “${SCRIPT.slice(0, 80).replaceAll('"', "'")}”`) &&
        asked.includes(`Finds birds. ${SCRIPT}`),
    );
    assert.match(asked, /Not verified/);
    assert.match(asked, /These are the program's own words[\s\S]*Never sells anything\./);
    assert.match(asked, /Home: Notes\s+32 records, 2026-01-01 – 2026-03-01/);
    assert.match(asked, /As the agent would see it[\s\S]*home\/notes:/);
    assert.notEqual(await page.title(), "taken");

    await page.getByText("Fields and times of Notes").click();
    await page.getByRole("combobox", { name: "secret" }).selectOption("left out");
    await page.getByLabel("From").fill("2026-02-15");
    const before = await count();
    if (javaScriptEnabled) {
      await page.locator("#preview", { hasText: "30 records, 2026-03-01" }).waitFor();
    } else {
      await allow(page);
      assert.match(await shown(page.getByRole("alert")), /has changed since it was shown/);
      assert.match(await shown(main), /30 records, 2026-03-01/);
    }
    assert.equal(await count(), before, "what was not shown is not granted");
    await allow(page);
    await back(page);

    const { access_token } = await agent.exchange(page.url());
    const read = (path: string) =>
      fetch(served.url + path, { headers: { Authorization: `Bearer ${access_token}` } });
    const { streams } = (await (await read("/v1/schema")).json()) as Json;
    const names = streams[0].fields.map(({ name }: { name: string }) => name);
    assert.deepEqual([streams.length, names], [1, ["id", "title", "body", "written_at"]]);
    assert.equal((await read("/v1/streams/notes/records/n1")).status, 200);
    assert.equal((await read("/v1/streams/notes/records/long")).status, 404);

    await page.goto(`${served.url}/console/grants`);
    await page.getByRole("link", { name: /^Revoke/ }).click();
    await page.getByRole("button", { name: "Revoke the grant" }).click();
    assert.equal((await read("/v1/streams/notes/records/n1")).status, 403);
    await page.context().close();
  });
}

test("an agent that requests nothing specific gets what the owner picks and reviews", async () => {
  const page = await served.signIn(browser, { viewport: { width: 375, height: 700 } });
  await page.goto(agent.authorizationUrl());
  assert.match(await shown(page.getByRole("main")), /named nothing in particular/);
  assert.deepEqual(await findBarriers(page), []);
  assert.equal(await page.getByRole("button", ALLOW).isDisabled(), true, "nothing is shown yet");
  await page.getByRole("group", { name: "Home" }).getByRole("checkbox", { name: "Notes" }).check();
  await page.getByLabel("For how long").selectOption("7");
  await lookAt(page);
  assert.match(await shown(page.getByRole("main")), /32 records/);
  assert.deepEqual(await findBarriers(page), []);
  const wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
  assert.equal(await page.evaluate(wide), false);
  await page.getByRole("button", ALLOW).press("Enter");
  await back(page);
  const newest = (await listGrants(served.parts)).find(({ revoked_at }) => revoked_at === undefined);
  const days = (Date.parse(newest!.grant.expires_at!) - Date.parse(newest!.grant.issued_at)) / 86_400_000;
  assert.equal(Math.round(days), 7);
  await page.context().close();
});

test("a denial goes back to the agent, and closes the request", async () => {
  const page = await served.signIn(browser);
  const before = await count();
  await page.goto(agent.authorizationUrl([REQUEST]));
  const question = page.url();
  await page.getByRole("button", { name: "Refuse" }).click();
  await back(page);
  assert.equal(new URL(page.url()).searchParams.get("error"), "access_denied");
  assert.equal(await count(), before);
  assert.equal((await page.goto(question))?.status(), 404);
  await page.context().close();
});

test("training with the data needs a separate consent", async () => {
  const page = await served.signIn(browser);
  const purpose_code = "https://pdpp.dev/purpose/ai_training";
  await page.goto(agent.authorizationUrl([{ ...REQUEST, purpose_code }]));
  const before = await count();
  await allow(page);
  assert.match(await shown(page.getByRole("alert")), /allow that separately/);
  assert.equal(await count(), before);
  await page.getByLabel(/may also train AI models/).check();
  await allow(page);
  await back(page);
  assert.equal(await count(), before + 1);
  await page.context().close();
});

test("a device gets access by the code that it shows, and no other", async () => {
  const page = await served.signIn(browser, { javaScriptEnabled: false });
  const device = await agent.askByDevice();
  await page.goto(`${served.url}/console/device`);
  await page.getByLabel("Code").fill("BCDF-GHJK");
  await page.getByRole("button", { name: "Continue" }).click();
  assert.match(await shown(page.getByRole("alert")), /No device is waiting/);
  await page.getByLabel("Code").fill(device.user_code.toLowerCase());
  await page.getByRole("button", { name: "Continue" }).click();
  assert.ok((await shown(page.getByRole("main"))).includes(`must show the code ${device.user_code}`));
  await page.getByRole("group", { name: "Home" }).getByRole("checkbox", { name: "Notes" }).check();
  await lookAt(page);
  await page.getByRole("button", ALLOW).press("Enter");
  await page.getByText("You can go back to your device").waitFor();
  const { access_token } = await device.poll();
  const headers = { Authorization: `Bearer ${access_token}` };
  assert.equal((await fetch(`${served.url}/v1/streams/notes/records/n1`, { headers })).status, 200);
  await page.context().close();
});

for (const javaScriptEnabled of [false, true]) {
  const scripts = javaScriptEnabled ? "with scripts" : "without scripts";

  test(`a double click at the button's position approves nothing, and each approval needs its own tick, ${scripts}`, async () => {
    const page = await served.signIn(browser, { javaScriptEnabled });
    await page.goto(agent.authorizationUrl([REQUEST]));
    const before = await count();
    const question = page.url();
    await page.getByRole("button", ALLOW).dblclick();
    assert.equal(page.url(), question);
    assert.equal(await count(), before);
    const box = page.getByRole("checkbox", { name: "I have looked at what it would read" });
    await box.check();
    await page.getByRole("button", { name: "Preview" }).click();
    await page.locator("input[name=looked]:not(:checked)").waitFor();
    await page.getByRole("button", { name: "Refuse" }).click();
    await back(page);
    assert.equal(await count(), before);
    await page.context().close();
  });
}

test("an approval without its tick is shown again, whatever the browser submitted", async () => {
  const page = await served.signIn(browser);
  await page.goto(agent.authorizationUrl([REQUEST]));
  const before = await count();
  await page.evaluate("document.querySelector('form[action*=consent]').noValidate = true");
  await page.getByRole("button", ALLOW).click();
  assert.match(await shown(page.getByRole("alert")), /tick that you have/);
  assert.equal(await count(), before);
  await allow(page);
  await back(page);
  assert.equal(await count(), before + 1);
  await page.context().close();
});

test("a client's name is truncated, and stays within its quotation marks", async (t) => {
  const odd = await createAgent(served.url, `Notes” by your bank, “${"x".repeat(200)}`);
  t.after(() => odd.stop());
  const page = await served.signIn(browser);
  await page.goto(odd.authorizationUrl([REQUEST]));
  const name = `Notes' by your bank, '${"x".repeat(58)}`;
  assert.equal(name.length, 80);
  assert.equal(await shown(page.getByRole("heading", { level: 1 })), `Let “${name}” read your data?`);
  assert.equal(await page.getByRole("main").getByText(name).count(), 4);
  assert.equal(await page.getByRole("main").getByText(`“${name}”`).count(), 4);
  await page.context().close();
});

test("opening the request in another browser, or answering it from another site, changes nothing", async () => {
  const page = await served.signIn(browser);
  await page.goto(agent.authorizationUrl([REQUEST]));
  const other = await served.signIn(browser);
  assert.equal((await other.goto(page.url()))?.status(), 404);
  assert.match(await shown(other.getByRole("main")), /made in another browser[\s\S]*Start again/);
  const before = await count();
  const { cookie = "", authorization = "" } = (await (await page.reload())?.request().allHeaders()) ?? {};
  const body = new URLSearchParams({ do: "approve", stream: "home/notes" });
  const answer = (headers: Record<string, string>) =>
    fetch(page.url(), { method: "POST", body, headers, redirect: "manual" });
  assert.equal((await answer({ Cookie: cookie, Authorization: authorization })).status, 403);
  assert.equal((await answer({ Cookie: cookie })).status, 303);
  assert.equal(await count(), before);
  await Promise.all([page.context().close(), other.context().close()]);
});

test("the owner sees which requested data is missing; the client does not", async () => {
  const page = await served.signIn(browser);
  const streams = [...REQUEST.streams, { name: "notes", instance_ids: ["nowhere"] }];
  await page.goto(agent.authorizationUrl([{ ...REQUEST, streams }]));
  const text = await shown(page.getByRole("main"));
  assert.match(
    text,
    /also asked for what cannot be given[\s\S]*nowhere\/notes: .*is not a connection of the source/,
  );
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole("button", { name: "Refuse" }).click();
  await back(page);
  assert.equal(new URL(page.url()).searchParams.get("error"), "access_denied");
  assert.doesNotMatch(page.url(), /nowhere|connection/);
  await page.context().close();
});
