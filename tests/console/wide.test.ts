/** The console with more sources than anyone lists, and names of every length and script. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parseCondition } from "@rungs/contract";
import { createGrant, listGrants, putConnection, writeGrantRequest } from "@rungs/server";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../../testing/console/browser.ts";
import { type Halves, openSession, type ServedConsole, serveConsole } from "../../testing/console/served.ts";
import { createNote, library } from "../../testing/library.ts";

const SOURCES = 300;
/** Names of up to 200 characters: without a space, from right to left, in CJK, and mixed. */
const NAMES = [
  (at: number) => `${at}${"unbroken".repeat(30)}`.slice(0, 200),
  (at: number) => `${"رسائل البيت القديم ".repeat(12)}`.slice(0, 190) + at,
  (at: number) => `${"古い家の手紙と写真".repeat(25)}`.slice(0, 190) + at,
  (at: number) => `Mail ${at} <b>&amp; "quotes"</b> שלום`,
];
const MOST_BYTES = 40_000;
const idOfSource = (at: number) => `source-${String(at).padStart(3, "0")}`;

let served: ServedConsole;
let browser: Browser;
let page: Page;
let halves: Halves;
let paths: readonly string[];

before(async () => {
  served = await serveConsole();
  const { parts } = served;
  for (let at = 0; at < SOURCES; at += 1) {
    const id = idOfSource(at);
    await putConnection(parts, id, library, NAMES[at % NAMES.length]?.(at));
    if (at % 25 === 0)
      await parts.store.ingest(parts.owner_id, id, [
        createNote("a", { title: "عنوان طويل", body: "a heron 鷺", written_at: "2026-01-01T00:00:00Z" }),
        createNote("b", { title: "b", body: "a heron", written_at: "2026-03-01T00:00:00Z" }),
      ]);
  }
  const every = Array.from({ length: SOURCES }, (_, at) => ({
    connection_id: idOfSource(at),
    stream: "notes",
    fields: ["id", "title", "body"],
  }));
  for (const [client_id, chosen] of [
    ["wide", every],
    ["usual", every.slice(0, 3)],
  ] as const)
    await createGrant(parts, { client: { client_id }, details: await writeGrantRequest(parts, chosen) });
  const grants = (await listGrants(parts)).map(({ grant }) => grant);
  const idOf = (client_id: string) => grants.find(({ client }) => client.client_id === client_id)?.grant_id;
  paths = [
    "/console",
    "/console?page=30",
    "/console?find=source-1",
    "/console/search?q=heron",
    "/console/grants",
    "/console/grants/new",
    `/console/grants/${idOf("usual")}/change`,
    `/console/grants/${idOf("wide")}/change`,
    "/console/hidden",
    "/console/explain",
    "/console/activity",
    "/console/delete?what=source-002",
    "/console/streams/source-000/notes",
  ];
  browser = await openBrowser();
  page = await served.signIn(browser, { viewport: { width: 390, height: 700 } });
  halves = await openSession(await served.loginLink());
});
after(async () => {
  await browser?.close();
  await served?.close();
});

test("with 300 sources and long names, a page and its stylesheet take at most 40 kB", async () => {
  const get = (path: string) => fetch(served.url + path, { headers: { ...halves } });
  const style = Number((await get("/console/style.css")).headers.get("Content-Length"));
  const sizes: Record<string, number> = {};
  for (const path of paths) {
    const answer = await get(path);
    assert.equal(answer.status, 200, path);
    sizes[path] = (await answer.arrayBuffer()).byteLength + style;
  }
  const large = Object.entries(sizes).filter(([, bytes]) => bytes > MOST_BYTES);
  assert.deepEqual(large, []);
});

test("no name breaks the layout on a phone", async () => {
  for (const path of paths) {
    await page.goto(served.url + path);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0, path);
  }
});

test("every source is reachable by paging, and by its name", async () => {
  const names = async (path: string) => {
    await page.goto(served.url + path);
    return page.locator(".source h2").allTextContents();
  };
  const last = await names("/console?page=34");
  assert.ok(last.length > 0 && last.length <= 9);
  assert.deepEqual(await names("/console?page=999"), last);
  assert.deepEqual(await names("/console?find=source-299"), [NAMES[3]?.(299)]);
  assert.deepEqual(await names("/console?find=nosuchname"), []);
  await page.getByRole("link", { name: "Show all" }).click();
  await page.getByRole("link", { name: "Next page" }).click();
  await page.waitForURL(/page=2/);
  await page.getByText("Page 2 of 34").waitFor();
});

for (const javaScriptEnabled of [true, false])
  test(`R71 a grant over ${SOURCES} streams can be changed a few streams at a time, and keeps the others, with${javaScriptEnabled ? "" : "out"} scripts`, async () => {
    const { parts } = served;
    const all = Array.from({ length: SOURCES }, (_, at) => at).map((at) => ({
      connection_id: idOfSource(at),
      stream: "notes",
      fields: ["id", "title", "body"],
      ...(at === 200 ? { where: ['title = "a"'].map(parseCondition) } : {}),
    }));
    const { grant } = await createGrant(parts, {
      client: { client_id: `changed ${javaScriptEnabled}` },
      details: await writeGrantRequest(parts, all),
    });
    const own = await served.signIn(browser, { javaScriptEnabled });
    await own.goto(`${served.url}/console/grants/${grant.grant_id}/change`);
    const sourceOf = (at: number) => own.locator(`input[name=stream][value="${idOfSource(at)}/notes"]`);
    await own.getByText("Chosen 1 to 3 of 300").waitFor();
    await own.getByRole("button", { name: "Next chosen" }).click();
    await own.getByText("Chosen 4 to 6 of 300").waitFor();
    await own.locator("summary", { hasText: "Fields and times" }).first().click();
    const update = async () => {
      if (!javaScriptEnabled) await own.getByRole("button", { name: "Preview" }).click();
    };
    await own.locator('[name="show:source-003/notes:title"]').selectOption("out");
    await update();
    await own.locator(".preview p.small", { hasText: /^id, body$/ }).waitFor();
    await own.getByLabel("Filter the sources").fill("Mail 299");
    if (!javaScriptEnabled) await own.getByRole("button", { name: "Filter" }).click();
    await sourceOf(0).waitFor({ state: "detached" });
    await sourceOf(299).uncheck();
    await update();
    await own.getByText("299 kinds").waitFor();
    await own.getByLabel("I have looked").check();
    await own.getByRole("button", { name: "Change the grant" }).click();
    await own.waitForURL(`${served.url}/console/grants`);
    const changed = (await listGrants(parts)).find((one) => one.grant.grant_id === grant.grant_id);
    const streams = new Map(
      (changed?.grant.authorization_details ?? [])
        .flatMap((detail) => detail.streams)
        .flatMap((stream) => stream.instance_ids.map((id) => [id, stream] as const)),
    );
    const fieldsOf = (at: number) => streams.get(idOfSource(at))?.fields;
    assert.equal(streams.size, SOURCES - 1);
    assert.deepEqual([fieldsOf(3), fieldsOf(299)], [["id", "body"], undefined]);
    assert.ok([0, 1, 2, 4, 150, 298].every((at) => fieldsOf(at)?.join() === "id,title,body"));
    assert.deepEqual(streams.get(idOfSource(200))?.where, [{ field: "title", op: "equals", value: "a" }]);
    await own.context().close();
  });
