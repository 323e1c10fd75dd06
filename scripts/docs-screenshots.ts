/**
 * The screenshots in docs/, of the console with the sample data. Retakes only those whose page has changed, since no
 * two pictures have the same bytes.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../testing/console/browser.ts";
import { PAGES, type ServedDemo, SHARED_PAGES, serveDemo } from "../testing/console/demo.ts";
import {
  findReceipt,
  formatOutlines,
  type Outlines,
  parseOutlines,
  readOutlines,
} from "../testing/console/outlines.ts";
import { renderWalk } from "./docs-walk.ts";

const FOLDER = new URL("../docs/screenshots/", import.meta.url);
const OUTLINES = new URL("outlines.ndjson", FOLDER);
const LOOKS = {
  "desktop-light": { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  "desktop-dark": { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  "phone-light": { viewport: { width: 390, height: 780 }, colorScheme: "light" },
  "phone-dark": { viewport: { width: 390, height: 780 }, colorScheme: "dark" },
} as const;
const QUALITY = 70;
/** The pages of the animated walk, in order, each with a caption. */
const WALK: Readonly<Record<string, string>> = {
  data: "Your data, by source",
  search: "Search: the evidence that an agent gets",
  consent: "An agent asks: see what it would read, then decide",
  receipt: "What it read, in order",
};

/** Takes the screenshots of pages that have changed, and the walk. */
export async function takeScreenshots(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const known = existsSync(OUTLINES) ? parseOutlines(readFileSync(OUTLINES, "utf8")) : {};
  const outlines = await readNow();
  const isOld = (name: string) =>
    JSON.stringify(known[name]) !== JSON.stringify(outlines[name]) ||
    Object.keys(LOOKS).some((look) => !existsSync(new URL(`${name}-${look}.jpg`, FOLDER)));
  const old = Object.keys(PAGES).filter(isOld);
  const oldShared = SHARED_PAGES.filter(isOld);
  if (old.length + oldShared.length === 0) return;
  const looks = Object.keys(LOOKS) as (keyof typeof LOOKS)[];
  const demo = await serveDemo();
  const browser = await openBrowser();
  try {
    for (const look of looks) await takeAll(browser, demo, look, old);
    const shared = await demo.share();
    for (const look of looks)
      for (const name of oldShared) {
        const { url, loginLink = demo.loginLink } = shared[name];
        const page = await signIn(browser, look, await loginLink());
        await take(page, url, `${name}-${look}`);
        await page.context().close();
      }
  } finally {
    await browser.close();
    await demo.close();
  }
  const frames = Object.entries(WALK).map(([name, words]) => ({
    words,
    jpeg: readFileSync(new URL(`${name}-desktop-light.jpg`, FOLDER)),
  }));
  writeFileSync(new URL("../console.svg", FOLDER), renderWalk(frames, LOOKS["desktop-light"].viewport));
  writeFileSync(OUTLINES, formatOutlines(outlines));
}

async function takeAll(
  browser: Browser,
  demo: ServedDemo,
  look: keyof typeof LOOKS,
  names: readonly string[],
): Promise<void> {
  const page = await signIn(browser, look, await demo.loginLink());
  for (const name of names) await take(page, await findAddress(page, demo, name), `${name}-${look}`);
  await page.context().close();
}

async function signIn(browser: Browser, look: keyof typeof LOOKS, link: string): Promise<Page> {
  const page = await (await browser.newContext(LOOKS[look])).newPage();
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${new URL(link).origin}/console`);
  return page;
}

async function take(page: Page, address: string, name: string): Promise<void> {
  await page.goto(address);
  const path = fileURLToPath(new URL(`${name}.jpg`, FOLDER));
  await page.screenshot({ path, type: "jpeg", quality: QUALITY });
}

/** The current outlines of the pages, from a separate server. */
async function readNow(): Promise<Outlines> {
  const demo = await serveDemo();
  try {
    return await readOutlines(demo);
  } finally {
    await demo.close();
  }
}

async function findAddress(page: Page, demo: ServedDemo, name: string): Promise<string> {
  const path = PAGES[name] ?? "";
  if (path === "consent") return demo.authorizationUrl();
  if (path !== "receipt") return demo.url + path;
  await page.goto(`${demo.url}/console/activity`);
  return demo.url + findReceipt(await page.content());
}
