/** Every page: accessible, no wider than a phone, and with record text escaped. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { formatRecordPage } from "@rungs/contract";
import { searchPageSchema, sliceChars } from "@rungs/evidence";
import { createGrant, createOwnerToken, listAudit, recordImport, writeGrantRequest } from "@rungs/server";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../../testing/console/browser.ts";
import { SCRIPT, type ServedConsole, serveConsole, shown } from "../../testing/console/served.ts";
import { findBarriers } from "./barriers.ts";

let browser: Browser;
let served: ServedConsole;
let page: Page;
let paths: string[];
before(async () => {
  [browser, served] = await Promise.all([openBrowser(), serveConsole()]);
  const { parts } = served;
  const chosen = [{ connection_id: "evil", stream: "notes", fields: ["title"] }];
  const order = { client: { client_id: SCRIPT }, details: await writeGrantRequest(parts, chosen) };
  const { grant, token } = await createGrant(parts, order);
  await fetch(`${served.url}/v1/search?q=odd`, { headers: { Authorization: `Bearer ${token}` } });
  const [read] = await listAudit(parts, { client_id: SCRIPT, limit: 1 });
  const looked = await recordImport(parts, { name: SCRIPT, origin: "upload" });
  await looked.end({
    state: "done",
    imports: [],
    recognised: [{ label: "Mail", path: SCRIPT, file_count: 3, reason: "it begins so" }],
    left_out: [{ path: SCRIPT, reason: "a picture" }],
  });
  page = await served.signIn(browser, { viewport: { width: 375, height: 700 } });
  const record = formatRecordPage({ connection_id: "home", stream: "notes", record_id: "script" });
  paths = [
    "",
    "/search",
    "/search?q=heron",
    "/search?q=heron&connection_id=home&stream=notes",
    "/streams/home/notes",
    record.replace("/console", ""),
    `${record.replace("/console", "")}/field?field_path=body&q=heron`,
    formatRecordPage({ connection_id: "home", stream: "notes", record_id: "long" }).replace("/console", ""),
    "/delete?what=home",
    "/delete?what=home/notes:script",
    "/grants",
    "/grants/new",
    `/grants/${grant.grant_id}/revoke`,
    "/activity",
    "/activity?who=all",
    `/activity/receipt?client=${encodeURIComponent(SCRIPT)}&grant=${grant.grant_id}&last=${read?.audit_id}`,
    `${record.replace("/console", "")}/around`,
    "/search?q=nothingatall",
    "/streams/home/shelves",
    "/connect",
    "/import",
    `/import/${looked.import_id}`,
    "/sync",
    "/settings",
    "/device",
    "/nothing-here",
  ];
});
after(async () => {
  await browser?.close();
  await served?.close();
});

test("R68 a facet of the search narrows it to the count that it shows", async () => {
  await page.goto(`${served.url}/console/search?q=heron`);
  const groups = page.locator(".facet");
  assert.ok((await groups.count()) > 0);
  for (let at = 0; at < (await groups.count()); at += 1) {
    await page.goto(`${served.url}/console/search?q=heron`);
    const choice = groups.nth(at).locator(".chip").first();
    const count = await choice.locator(".count").textContent();
    await choice.click();
    assert.match(
      (await page.locator("[role=status]").textContent()) ?? "",
      new RegExp(`^${count} records? found`),
    );
    assert.equal(await page.locator(".chosen li").count(), 1);
    await page.locator(".chosen a").click();
    assert.equal(await page.locator(".chosen li").count(), 0);
  }
});

test("no page has accessibility problems in either theme, or is wider than a phone", async () => {
  for (const path of paths) {
    const answer = await page.goto(`${served.url}/console${path}`);
    assert.equal(answer?.status(), path === "/nothing-here" ? 404 : 200, path);
    await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
    // Only the colours differ in the dark.
    for (const [colorScheme, rules] of [
      ["light", {}],
      ["dark", { runOnly: ["color-contrast"] }],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await findBarriers(page, rules), [], `${path} in the ${colorScheme}`);
      const wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
      assert.equal(await page.evaluate(wide), false, `${path} scrolls sideways in the ${colorScheme}`);
    }
  }
  await page.emulateMedia({ colorScheme: null });
});

test("a page without a session has no accessibility problems either", async () => {
  const guest = await (await browser.newContext()).newPage();
  for (const address of [`${served.url}/console/sign-in`, await served.loginLink()]) {
    await guest.goto(address);
    assert.deepEqual(await findBarriers(guest), []);
  }
  await guest.context().close();
});

test("the skip link moves the focus to the content", async () => {
  await page.goto(`${served.url}/console`);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate("document.activeElement.textContent"), "Skip to the content");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate("document.activeElement.id"), "main");
});

test("keys move through the results, open one and return to the search box", async () => {
  await page.goto(`${served.url}/console/search?q=crane`);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  const first = page.locator("[data-item] a").first();
  assert.equal(
    await page.evaluate("document.activeElement === document.querySelector('[data-item] a')"),
    true,
  );
  await page.keyboard.press("/");
  assert.equal(await page.evaluate("document.activeElement.id"), "q");
  await page.keyboard.type("crane heron");
  await page.waitForURL(/crane\+heron/);
  assert.match(await shown(page.locator("#results").getByRole("status")), /3[34] records found/);
  await first.press("Enter");
  await page.waitForURL(/\/console\/records\//);
});

test("a long list has a search of its own records", async () => {
  await page.goto(`${served.url}/console/streams/home/notes`);
  await page.keyboard.press("/");
  await page.keyboard.type("heron");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/console\/search\?connection_id=home&stream=notes&q=heron/);
  assert.match(await shown(page.getByRole("status")), /2 records found/);
});

test("the palette leads to a page by keyboard, and a search for what was typed", async () => {
  await page.goto(`${served.url}/console`);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("Activ");
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/console\/activity/);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("heron lake");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/console\/search\?q=heron%20lake/);
});

test("a search result expands its context in place", async () => {
  await page.goto(`${served.url}/console/search?q=heron`);
  await page.locator(".unfold summary").first().click();
  await page.locator(".unfold .talk li").first().waitFor();
  assert.match(page.url(), /\/console\/search/);
});

test("a script in a title, a label or a client's name is shown as text and does nothing", async () => {
  let isSeen = 0;
  for (const path of paths) {
    await page.goto(`${served.url}/console${path}`);
    assert.notEqual(await page.title(), "taken", path);
    assert.equal(await page.locator("main script, main img").count(), 0, path);
    if ((await shown(page.getByRole("main"))).includes(SCRIPT)) isSeen += 1;
  }
  assert.ok(isSeen >= 6, `it was shown on ${isSeen} pages`);
});

test("R66 the page of a record lists the records around it in its thread, in order, with links", async () => {
  const open = (record_id: string) =>
    page.goto(served.url + formatRecordPage({ connection_id: "home", stream: "notes", record_id }));
  await open("script");
  const around = page.locator("section", { hasText: "Around this record" }).getByRole("listitem");
  assert.equal(await around.count(), 2);
  assert.match(await shown(around.nth(0)), /The lake/);
  assert.match(await shown(around.nth(1)), /· this record/);
  await around.nth(0).getByRole("link").click();
  assert.equal(await shown(page.getByRole("heading", { level: 1 })), "The lake");
  assert.match(await shown(around.nth(0)), /· this record\s+The lake/);
  await open("n3");
  assert.equal(await around.count(), 0);
});

test("a page and its stylesheet take at most 40 kB", async () => {
  const style = await page.request.get(`${served.url}/console/style.css`);
  const style_bytes = Number(style.headers()["content-length"]);
  assert.equal(style.headers()["content-encoding"], "gzip");
  assert.ok(style_bytes > 0 && (await style.text()).includes("body"));
  for (const path of paths) {
    const answer = await page.goto(`${served.url}/console${path}`);
    const bytes = ((await answer?.body())?.length ?? 0) + style_bytes;
    assert.ok(bytes <= 40_000, `${path}: ${bytes} bytes`);
  }
});

test("every page's CSP allows nothing but its own site", async () => {
  for (const path of [...paths, "/sign-in", "/style.css"]) {
    const { headers } = await fetch(`${served.url}/console${path}`, { redirect: "manual" });
    const policy = headers.get("Content-Security-Policy") ?? "";
    assert.match(policy, /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/, path);
    assert.doesNotMatch(policy, /unsafe|https?:/, path);
    assert.match(policy, /script-src 'sha256-[\w+/=]{44}';/, "no script but the one with this hash");
    assert.equal(headers.get("X-Frame-Options"), "DENY");
  }
});

test("R55 the audit log exports as a file, and no cell of it is a formula", async () => {
  const { parts, url } = served;
  const chosen = [{ connection_id: "home", stream: "notes", fields: ["title"] }];
  const order = { client: { client_id: '=HYPERLINK("x")' }, details: await writeGrantRequest(parts, chosen) };
  const { token } = await createGrant(parts, order);
  await fetch(`${url}/v1/streams/notes/records/n1`, { headers: { Authorization: `Bearer ${token}` } });
  await page.goto(`${url}/console/activity`);
  const take = async (name: string) => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name }).click(),
    ]);
    return readFileSync(await download.path(), "utf8");
  };
  const csv = await take("CSV");
  assert.match(csv, /^at,client_id,grant_id,operation,status,/);
  assert.match(csv, /,"'=HYPERLINK\(""x""\)",grant_[\w-]+,fetch,200,home,notes,n1,/);
  const rows = (await take("NDJSON")).trimEnd().split("\n");
  assert.equal(rows.length, csv.trimEnd().split("\r\n").length - 1);
  assert.ok(rows.map((row) => JSON.parse(row)).some(({ client_id }) => client_id === SCRIPT));
});

test("R44 R10 the page shows the evidence of REST: the same text, the same matches marked", async () => {
  const headers = { Authorization: `Bearer ${await createOwnerToken(served.parts)}` };
  const answer = await fetch(`${served.url}/v1/search?q=heron+stands&limit=20`, { headers });
  const { data } = searchPageSchema.parse(await answer.json());
  const evidence = data.flatMap((hit) => hit.evidence);
  assert.ok(evidence.length > 0);
  await page.goto(`${served.url}/console/search?q=heron+stands`);
  // A title that is evidence as a whole appears as the title.
  const texts = await page.locator(".hits .text").allTextContents();
  assert.deepEqual(
    texts.map((text) => text.replace(/^…|…$/g, "")).toSorted(),
    evidence.map(({ preview }) => preview).toSorted(),
  );
  const marked = evidence.flatMap(({ preview, preview_start_chars: start, matches }) =>
    matches.map(({ start_chars, end_chars }) => sliceChars(preview, start_chars - start, end_chars - start)),
  );
  // Adjacent words share a mark.
  const shownMarks = await page.locator(".hits .text mark").allTextContents();
  assert.deepEqual(shownMarks.flatMap((text) => text.split(" ")).toSorted(), marked.toSorted());
});
