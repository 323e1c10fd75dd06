/** A client that asks for more streams than a page shows. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { putConnection } from "@rungs/server";
import type { Browser } from "playwright-core";
import { createAgent } from "../../testing/console/agent.ts";
import { openBrowser } from "../../testing/console/browser.ts";
import { type ServedConsole, serveConsole, shown } from "../../testing/console/served.ts";
import { createNote, library } from "../../testing/library.ts";

const SOURCES = Array.from({ length: 20 }, (_, at) => `box-${String(at).padStart(2, "0")}`);

let browser: Browser;
let served: ServedConsole;
before(async () => {
  [browser, served] = await Promise.all([openBrowser(), serveConsole()]);
  for (const id of SOURCES) await putConnection(served.parts, id, library, `Letters of ${id}`);
  await served.parts.store.ingest(served.parts.owner_id, "box-17", [
    createNote("a", { title: "a", body: "private", written_at: "2026-01-01T00:00:00Z" }),
  ]);
});
after(async () => {
  await browser?.close();
  await served?.close();
});

test("a consent names every stream that it would grant, including those on other pages", async () => {
  const agent = await createAgent(served.url, "asks for much");
  try {
    const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    const request = {
      type: "https://pdpp.dev/data-access",
      source: { id: library.source.id },
      purpose_code: "https://pdpp.dev/purpose/assistance",
      access_mode: "continuous",
      streams: [{ name: "notes", instance_ids: SOURCES, fields: ["title", "body"] }],
    };
    await page.goto(agent.authorizationUrl([request]));
    await page.getByLabel("The link, or its code").fill(await served.loginLink());
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Chosen 1 to 3 of 20").waitFor();
    const preview = await shown(page.locator("#preview"));
    assert.deepEqual(
      SOURCES.filter((id) => !preview.includes(`Letters of ${id}: Notes`)),
      [],
    );
    assert.match(preview, /Chosen on other pages\s+Letters of box-17: Notes, 1 record\s/);
  } finally {
    agent.stop();
  }
});
