/** A hostile program on another port of the owner's machine, whose pages the owner's browser opens. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../../testing/console/browser.ts";
import { type ServedConsole, serveConsole, shown } from "../../testing/console/served.ts";

const RECORD = "/console/records/home%2Fnotes%3An3";

let browser: Browser;
let served: ServedConsole;
let neighbour: Neighbour;
before(async () => {
  [browser, served] = await Promise.all([openBrowser(), serveConsole()]);
  neighbour = await createNeighbour();
});
after(async () => {
  await browser?.close();
  await served?.close();
  neighbour.server.close();
});

interface Neighbour {
  readonly server: Server;
  readonly url: string;
  readonly heard: IncomingHttpHeaders[];
}

/** Records what browsers send; under `/asks` it sends the same Basic challenge as the console. */
async function createNeighbour(): Promise<Neighbour> {
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer(({ url = "", headers }, response) => {
    heard.push(headers);
    const asks = url.includes("asks");
    response.writeHead(asks ? 401 : 200, {
      "Content-Type": "text/html",
      ...(asks ? { "WWW-Authenticate": 'Basic realm="Rungs", charset="UTF-8"' } : {}),
    });
    response.end(`<img src="${served.url}/console/icon.svg"><iframe src="${served.url}/console"></iframe>
<a href="${served.url}${RECORD}">A record</a>`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

async function lead(page: Page): Promise<IncomingHttpHeaders[]> {
  neighbour.heard.length = 0;
  for (const path of [
    "/",
    "/console",
    "/console/search?q=heron",
    RECORD,
    "/console-key",
    "/console/asks",
    "/asks",
  ]) {
    // A browser that is asked for a key and has none cancels the navigation: there is nobody to type one.
    await page.goto(neighbour.url + path).catch((error: Error) => assert.match(error.message, /AUTH/));
  }
  return neighbour.heard;
}

test("a neighbour receives the cookie, which is half of the secret, never the key, and gets no access with it", async () => {
  const page = await served.signIn(browser);
  const heard = await lead(page);
  const halves = heard.flatMap(({ cookie }) => cookie ?? []);
  assert.ok(
    halves.some((cookie) => cookie.startsWith("rungs_session=half.rungs_")),
    "browsers send cookies to every port of a host: without that there is nothing to try here",
  );
  assert.deepEqual(
    heard.flatMap(({ authorization }) => authorization ?? []),
    [],
  );
  for (const Cookie of halves) {
    for (const path of [
      "/console",
      "/console/search?q=heron",
      RECORD,
      "/console/grants/new",
      "/console-key",
    ]) {
      const answer = await fetch(served.url + path, { headers: { Cookie }, redirect: "manual" });
      const { status } = answer;
      assert.equal(status, path === "/console-key" ? 401 : 303, path);
      assert.doesNotMatch(await answer.text(), /heron|Note 3|Home/, path);
    }
  }
  await page.context().close();
});

test("R32 the owner stays signed in meanwhile, and a link to a record works from a neighbour's page", async () => {
  for (const javaScriptEnabled of [false, true]) {
    const page = await served.signIn(browser, { javaScriptEnabled });
    await lead(page);
    await page.goto(neighbour.url);
    await page.getByRole("link", { name: "A record" }).click();
    assert.equal(page.url(), served.url + RECORD);
    assert.equal(await shown(page.getByRole("heading", { level: 1 })), "Note 3");
    await page.context().close();
  }
});

test("an owner whose browser rejects the key can choose to sign in with a cookie alone", async () => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(await served.loginLink());
  await page.getByText("ask for a name and a password").click();
  await page.getByLabel("Keep my session in a cookie alone").check();
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${served.url}/console`);
  const [cookie] = await page.context().cookies(served.url);
  assert.match(cookie?.value ?? "", /^rungs_/);
  const Cookie = `${cookie?.name}=${cookie?.value}`;
  const { status } = await fetch(`${served.url}/console`, { headers: { Cookie }, redirect: "manual" });
  assert.equal(status, 200);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.goto(`${served.url}/console`);
  assert.equal(new URL(page.url()).pathname, "/console/sign-in");
  await page.context().close();
});

test("a browser that signs in again gets another key, by the other name of this machine too", async () => {
  const page = await served.signIn(browser);
  const local = served.url.replace("127.0.0.1", "localhost");
  for (const origin of [served.url, local, served.url]) {
    await page.goto((await served.loginLink()).replace(served.url, origin));
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`${origin}/console`);
    await page.getByRole("link", { name: "Grants" }).click();
    assert.equal(page.url(), `${origin}/console/grants`);
    assert.equal(
      await page.evaluate("document.baseURI"),
      `${origin}/console/grants`,
      "no key in the address",
    );
  }
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.goto(`${served.url}/console`);
  assert.equal(new URL(page.url()).pathname, "/console/sign-in");
  await page.context().close();
});
