/** Passkeys in a real browser, with Chromium's virtual authenticator. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listGrants } from "@rungs/server";
import type { Browser, Page } from "playwright-core";
import { createAgent } from "../../testing/console/agent.ts";
import { openBrowser } from "../../testing/console/browser.ts";
import { lookAt, type ServedConsole, serveConsole, shown } from "../../testing/console/served.ts";

let browser: Browser;
let served: ServedConsole;
before(async () => {
  // Browsers take no passkeys for IP addresses.
  [browser, served] = await Promise.all([openBrowser(), serveConsole("sqlite", "localhost")]);
});
after(async () => {
  await browser?.close();
  await served?.close();
});

/**
 * Attaches an authenticator to a page's browser; returns a function that makes its user verification fail or succeed.
 */
async function plugIn(page: Page): Promise<(isUserVerified: boolean) => Promise<unknown>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return (isUserVerified) => devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
}

const listClients = async () =>
  (await listGrants(served.parts)).map(({ grant }) => grant.client.name ?? grant.client.client_id);

async function fillGrant(page: Page, client: string): Promise<void> {
  await page.goto(`${served.url}/console/grants/new`);
  await page.getByLabel("Who may read").fill(client);
  await page.getByRole("group", { name: "Home" }).getByRole("checkbox", { name: "Notes" }).check();
  await lookAt(page);
  await page.getByRole("button", { name: "Make the grant" }).click();
}

test("the owner adds a passkey, signs in with it, confirms a grant and a consent with it, and recovers by a link", async () => {
  const page = await served.signIn(browser);
  const main = page.getByRole("main");
  const setVerified = await plugIn(page);
  await page.goto(`${served.url}/console/settings`);
  await page.getByLabel("A name for the passkey").fill("my <laptop>");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("my <laptop> at localhost").waitFor();

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.waitForURL(`${served.url}/console`);

  await fillGrant(page, "with the passkey");
  assert.match(await shown(page.getByLabel("Token", { exact: true })), /^rungs_/);
  await setVerified(false);
  await fillGrant(page, "without the finger");
  await page.getByText("No passkey was given.").waitFor();
  await setVerified(true);
  await page.getByRole("button", { name: "Make the grant" }).click();
  await page.getByLabel("Token", { exact: true }).waitFor();

  const agent = await createAgent(served.url, "asking agent");
  try {
    await page.goto(agent.authorizationUrl());
    await page.getByRole("group", { name: "Home" }).getByRole("checkbox", { name: "Notes" }).check();
    await lookAt(page);
    await page.getByRole("button", { name: "Allow exactly what is shown" }).click();
    await page.waitForURL(`${agent.callback}**`);
    assert.ok((await agent.exchange(page.url())).access_token);
  } finally {
    agent.stop();
  }
  const granted = ["asking agent", "with the passkey", "without the finger"];
  assert.deepEqual((await listClients()).sort(), granted);

  const plain = await served.signIn(browser, { javaScriptEnabled: false });
  await fillGrant(plain, "without scripts");
  assert.match(
    await shown(plain.getByRole("main")),
    /This needs your passkey\.[\s\S]*a browser that runs scripts/,
  );
  assert.deepEqual((await listClients()).sort(), granted);
  await plain.goto(`${served.url}/console/grants/new`);
  assert.match(
    await shown(plain.getByRole("main")),
    /Passkeys need scripts, which this browser does not run/,
  );
  await plain.goto(`${served.url}/console/settings`);
  await plain.getByRole("button", { name: "Remove the passkey my <laptop>" }).click();
  assert.match(await shown(plain.getByRole("main")), /No passkey is set up/);
  await fillGrant(plain, "recovered");
  await plain.getByLabel("Token", { exact: true }).waitFor();

  await page.goto(`${served.url}/console/activity?who=all`);
  assert.match(await shown(main), /removed a passkey[\s\S]*added a passkey/);
  await page.context().close();
  await plain.context().close();
});

test("at an IP address, the settings say where passkeys work", async () => {
  const page = await served.signIn(browser);
  const { port } = new URL(served.url);
  const link = (await served.loginLink()).replace("localhost", "127.0.0.1");
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.goto(`http://127.0.0.1:${port}/console/settings`);
  assert.match(
    await shown(page.getByRole("main")),
    new RegExp(`open http://localhost:${port}/console/settings`),
  );
  await page.context().close();
});
