/** Every page of the sample data, with details, dialogs and refusals: accessible in both themes, and no wider than its window. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { listGrants } from "@rungs/server";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../../testing/console/browser.ts";
import { PAGES, type ServedDemo, serveDemo } from "../../testing/console/demo.ts";
import { findReceipt } from "../../testing/console/outlines.ts";
import { findBarriers } from "./barriers.ts";

/** Pages that no screenshot shows, and refusals. */
const OTHERS = [
  "/console/records/assistant%2Fconversations:c1",
  "/console/records/chat%2Fmessages:missing",
  "/console/records/mail-home%2Fmessages:m-0241",
  "/console/records/mail-home%2Fmessages:m-0003/around",
  "/console/records/mail-home%2Fmessages:m-0241/field?field_path=body&q=tiles",
  "/console/records/mail-home%2Fmessages:m-0003/field?field_path=nothing",
  "/console/search?q=%22",
  "/console/search?q=zzzzzz",
  "/console/search?q=a&since=yesterday",
  "/console/streams/mail-home/nothing",
  "/console/activity/receipt?client=x",
  "/console/import/nothing",
  "/console/explain",
  "/console/explain?record=mail-home",
  "/console/hidden?kind=pattern&text=(",
  "/console/delete?what=mail-home",
  "/console/delete?what=mail-home%2Fmessages:m-0003",
  "/console/delete?what=nothing",
  "/console/sync?kind=caldav",
  "/console/sync?kind=folder",
  "/console/sync/nothing",
  "/console/owners",
  "/console/owners/remove?owner_id=nothing",
  "/console/join?code=nothing",
  "/console/consent/nothing",
  "/console/device",
];
/** The response of a file route. */
const FILES = ["/blobs/:blob_id", "/activity/export"];
const ROUTES = new URL("../../packages/console/src/routes.ts", import.meta.url);
const LOOKS = [
  ["light", { width: 1280, height: 800 }, {}],
  // Only colours and widths differ.
  ["dark", { width: 390, height: 780 }, { runOnly: ["color-contrast"] }],
] as const;

let browser: Browser;
let demo: ServedDemo;
let page: Page;
before(async () => {
  [browser, demo] = await Promise.all([openBrowser(), serveDemo()]);
  page = await (await browser.newContext()).newPage();
  await page.goto(await demo.loginLink());
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${demo.url}/console`);
});
after(async () => {
  await browser?.close();
  await demo?.close();
});

test("no page of the sample data, and no refusal, has accessibility problems or scrolls sideways", async () => {
  await page.goto(`${demo.url}/console/activity`);
  const receipt = demo.url + findReceipt(await page.content());
  const [grant] = await listGrants(demo.parts);
  const special: Readonly<Record<string, string>> = { receipt, consent: demo.authorizationUrl() };
  const seen: string[] = [];
  const grantPages = ["change", "revoke"].map((what) => `/console/grants/${grant?.grant.grant_id}/${what}`);
  for (const path of [...Object.values(PAGES), ...OTHERS, ...grantPages]) {
    const address = special[path] ?? demo.url + path;
    await page.goto(address);
    seen.push(new URL(page.url()).pathname);
    await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
    await check(path);
  }
  const routes = [...readFileSync(ROUTES, "utf8").matchAll(/method: "GET", path: "([^"]+)"/g)].map(
    ([, route = ""]) => route,
  );
  assert.ok(routes.length > 20);
  const isSeen = (route: string) => {
    const pattern = new RegExp(`^/console${route.replace(/\/$/, "").replace(/:\w+/g, "[^/]+")}$`);
    return seen.some((path) => pattern.test(path));
  };
  assert.deepEqual(
    routes.filter((route) => !isSeen(route)),
    FILES,
    "every page is among those that were looked at",
  );
});

test("dialogs have no accessibility problems in either theme", async () => {
  await page.goto(`${demo.url}/console`);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("mail");
  await check("the palette");
});

test("a record prints dark on light, without screen-only controls", async () => {
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.goto(`${demo.url}/console/records/mail-home%2Fmessages:m-0003`);
  const lightOf = (selector: string, property: string) =>
    page.evaluate(
      `Math.max(...getComputedStyle(document.querySelector("${selector}")).${property}.match(/[\\d.]+/g).slice(0, 3).map(Number))`,
    );
  assert.ok(Number(await lightOf(".record", "backgroundColor")) > 200);
  assert.ok(Number(await lightOf(".record .text", "color")) < 50);
  for (const name of ["Hide this record from all agents", "Sign out"])
    assert.equal(await page.getByRole("button", { name }).isVisible(), false);
  await page.emulateMedia({ media: "screen", colorScheme: null });
});

async function check(what: string): Promise<void> {
  for (const [colorScheme, size, rules] of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    assert.deepEqual(await findBarriers(page, rules), [], `${what} in the ${colorScheme}`);
    const wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    assert.equal(await page.evaluate(wide), false, `${what} scrolls sideways at ${size.width}`);
  }
}
