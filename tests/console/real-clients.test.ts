/** Real clients (`rungs connect` and the SDK's OAuth client), with the owner's decision in a real browser. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { BIN } from "../../testing/cli/program.ts";
import { createAgent } from "../../testing/console/agent.ts";
import { openBrowser } from "../../testing/console/browser.ts";
import { lookAt, type ServedConsole, serveConsole } from "../../testing/console/served.ts";
import { clients, createKeeper, finish } from "../../testing/oauth/sdk-clients.ts";

let browser: Browser;
let served: ServedConsole;
before(async () => {
  [browser, served] = await Promise.all([openBrowser(), serveConsole()]);
});
after(async () => {
  await browser?.close();
  await served?.close();
});

test("R50 `rungs connect` gets a grant that the owner approves in a browser, and its commands read under it", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "rungs-connect-"));
  const rungs = (...argv: string[]) =>
    spawn(process.execPath, [BIN, ...argv], {
      env: { ...process.env, RUNGS_HOME: home },
      stdio: ["ignore", "pipe", "pipe"],
    });
  const connecting = rungs("connect", `${served.url}/mcp`);
  t.after(() => connecting.kill());
  const ended = once(connecting, "exit");
  const address = await firstAddress(connecting.stderr);
  const page = await served.signIn(browser);
  await page.goto(address);
  await allowNotes(page);
  await page.getByText("Connected. You can close this page.").waitFor();
  const [code] = await ended;
  assert.equal(code, 0);
  const searching = rungs("search", "heron", "--url", served.url);
  const found = (await Array.fromAsync(searching.stdout)).join("");
  assert.match(found, /home\/notes:long/);
  assert.match(found, /⟦heron⟧/);
  await page.context().close();
  rmSync(home, { recursive: true });
});

for (const version of ["2.x", "1.x"] as const) {
  test(`R50 the SDK's OAuth client (${version}) gets from a URL to tools, with the owner's approval in a browser`, async (t) => {
    const agent = await createAgent(served.url, "listens");
    t.after(() => agent.stop());
    const keeper = createKeeper(agent.callback);
    const { transport, client } = clients[version];
    const endpoint = new URL(`${served.url}/mcp`);
    const first = transport(endpoint, keeper as never);
    await assert.rejects(client().connect(first as never));
    const page = await served.signIn(browser);
    await page.goto(String(keeper.kept.url));
    await allowNotes(page);
    await page.waitForURL((url) => url.href.startsWith(agent.callback));
    await finish(first, new URL(page.url()));
    const connected = client();
    t.after(() => connected.close());
    await connected.connect(transport(endpoint, keeper as never) as never);
    const found = await connected.callTool({ name: "search", arguments: { query: "heron" } });
    assert.match(JSON.stringify(found), /home\/notes:long/);
    await page.context().close();
  });
}

async function allowNotes(page: Page): Promise<void> {
  await page.getByRole("group", { name: "Home" }).getByRole("checkbox", { name: "Notes" }).check();
  await lookAt(page);
  await page.getByRole("button", { name: "Allow exactly what is shown" }).click();
}

function firstAddress(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  return new Promise((resolve, reject) => {
    stream.on("data", (chunk) => {
      text += chunk;
      const [address] = /http\S+(?=\s)/.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    });
    stream.on("end", () => reject(new Error(`No address was printed: ${text}`)));
  });
}
