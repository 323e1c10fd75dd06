/** The screenshots of docs/, of the console with the sample data. Takes only those whose page has changed, since no two pictures are the same bytes. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../testing/console/browser.ts";
import { PAGES, type ServedDemo, serveDemo } from "../testing/console/demo.ts";
import { findReceipt, formatOutlines, parseOutlines, readOutlines } from "../testing/console/outlines.ts";
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
/** The pages of the animated walk, in order, each with what it shows. */
const WALK: Readonly<Record<string, string>> = {
  data: "Your data, by source",
  search: "Search: the evidence that an agent gets",
  consent: "An agent asks: see what it would read, then decide",
  receipt: "What it read, in order",
};

/** Takes the screenshots of pages that have changed, and the walk. */
export async function takeScreenshots(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const demo = await serveDemo();
  const known = existsSync(OUTLINES) ? parseOutlines(readFileSync(OUTLINES, "utf8")) : {};
  const outlines = await readOutlines(demo);
  const isOld = (name: string) =>
    JSON.stringify(known[name]) !== JSON.stringify(outlines[name]) ||
    Object.keys(LOOKS).some((look) => !existsSync(new URL(`${name}-${look}.jpg`, FOLDER)));
  const old = Object.keys(PAGES).filter(isOld);
  try {
    if (old.length === 0) return;
    const browser = await openBrowser();
    try {
      for (const look of Object.keys(LOOKS) as (keyof typeof LOOKS)[])
        await takeAll(browser, demo, look, old);
    } finally {
      await browser.close();
    }
  } finally {
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
  const page = await (await browser.newContext(LOOKS[look])).newPage();
  await page.goto(await demo.loginLink());
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${demo.url}/console`);
  for (const name of names) {
    await page.goto(await findAddress(page, demo, name));
    const path = fileURLToPath(new URL(`${name}-${look}.jpg`, FOLDER));
    await page.screenshot({ path, type: "jpeg", quality: QUALITY });
  }
  await page.context().close();
}

async function findAddress(page: Page, demo: ServedDemo, name: string): Promise<string> {
  const path = PAGES[name] ?? "";
  if (path === "consent") return demo.authorizationUrl();
  if (path !== "receipt") return demo.url + path;
  await page.goto(`${demo.url}/console/activity`);
  return demo.url + findReceipt(await page.content());
}
