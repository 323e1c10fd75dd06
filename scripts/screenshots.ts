/** `node --conditions=rungs-source scripts/screenshots.ts`: takes the screenshots in docs/, with the sample data. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLoginLink } from "@rungs/server";
import { openSqlite } from "@rungs/store/sqlite";
import type { Browser } from "playwright-core";
import { prepareDemo } from "rungs/internal/demo";
import { listen } from "rungs/internal/listen";
import { type OpenedApp, openApp } from "rungs/internal/open-app";
import { createAgent } from "../testing/console/agent.ts";
import { openBrowser } from "../testing/console/browser.ts";

const PICTURES = {
  "consent-desktop-light": { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  "consent-phone-dark": { viewport: { width: 375, height: 800 }, colorScheme: "dark" },
} as const;

const REQUEST = {
  type: "https://pdpp.dev/data-access",
  source: { id: "urn:rungs:connector:demo-mail" },
  purpose_code: "https://pdpp.dev/purpose/assistance",
  purpose_description: "Answers questions about the roof from your mail.",
  access_mode: "continuous",
  streams: [
    {
      name: "messages",
      instance_ids: ["mail-home"],
      fields: ["subject", "from", "sent_at", "body"],
      time_range: { since: "2026-01-10T00:00:00Z" },
    },
  ],
  client_claims: { commitments: ["Never shares what it reads."] },
};

const home = mkdtempSync(join(tmpdir(), "rungs-screenshots-"));
const store = await openSqlite(join(home, "rungs.db"));
await prepareDemo(store, home);
const opened = Promise.withResolvers<OpenedApp>();
const answer = async (request: Request, env: object) => (await opened.promise).app.fetch(request, env);
const { url, stop } = await listen(answer, { host: "127.0.0.1", port: 0, stop_ms: 100 });
opened.resolve(await openApp(store, { url }));
const agent = await createAgent(url, "Bird Notes");
const browser = await openBrowser();
try {
  for (const name of Object.keys(PICTURES) as (keyof typeof PICTURES)[]) await take(browser, name);
} finally {
  agent.stop();
  await browser.close();
  await stop();
  await store.close();
  rmSync(home, { recursive: true });
}

async function take(browser: Browser, name: keyof typeof PICTURES): Promise<void> {
  const page = await (await browser.newContext(PICTURES[name])).newPage();
  const { oauth } = await opened.promise;
  await page.goto(await createLoginLink(oauth, url));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.goto(agent.authorizationUrl([REQUEST]));
  const path = fileURLToPath(new URL(`../docs/screenshots/${name}.png`, import.meta.url));
  await page.screenshot({ path, fullPage: true });
}
