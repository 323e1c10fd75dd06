/** A server with a little data and everything that `rungs serve` has, on a real port and a real database. */
import assert from "node:assert/strict";
import type { RecordEnvelope } from "@rungs/contract";
import { createLoginLink, ensureOwner, type OwnerContext, putConnection } from "@rungs/server";
import type { Store } from "@rungs/store";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { listen } from "rungs/internal/listen";
import { type OpenedApp, openApp } from "rungs/internal/open-app";
import { countServers, startBalancer } from "../cluster/balancer.ts";
import { openTestStore } from "../engines.ts";
import { library } from "../library.ts";

export interface ServedConsole {
  readonly url: string;
  readonly parts: OwnerContext;
  loginLink(): Promise<string>;
  /** A page signed in as the owner with a link, as a person does it. */
  signIn(browser: Browser, options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

/** The headers of a signed-in browser: the two halves of the session's secret. */
export interface Halves {
  readonly Cookie: string;
  readonly Authorization: string;
}

/** The halves in the response to a sign-in. */
export function readHalves({ headers }: Response): Halves {
  const [cookie = ""] = headers.getSetCookie();
  const { username, password } = new URL(headers.get("Location") ?? "");
  return {
    Cookie: cookie.split(";")[0] ?? "",
    Authorization: `Basic ${btoa(`${username}:${password}`)}`,
  };
}

/** Signs in with a login link as a browser does, without one. */
export async function openSession(
  link: string,
  fetchPage: (url: string, init: RequestInit) => Promise<Response> = fetch,
): Promise<Halves> {
  const { origin, searchParams } = new URL(link);
  const body = new URLSearchParams({ code: searchParams.get("code") ?? "" });
  return readHalves(
    await fetchPage(`${origin}/console/sign-in`, { method: "POST", body, redirect: "manual" }),
  );
}

/** Text that would run as a script if a page did not escape it. */
export const SCRIPT = `<script>document.title="taken"</script><img src=x onerror="document.title='taken'">`;
/** Far longer than a window, with a single place to find. */
export const LONG_TEXT = Array.from({ length: 2000 }, (_, at) =>
  at === 1500 ? "Here the heron stands, 漢字 and 😀 around it." : `Line ${at} of a long day at the lake.`,
).join("\n");

/** Serves the console under a host name of this machine; with `RUNGS_TEST_SERVERS` on PostgreSQL, behind a balancer. */
export async function serveConsole(
  engine = "sqlite",
  name = "127.0.0.1",
  home?: string,
): Promise<ServedConsole> {
  const count = countServers("postgres");
  const { store, openAnother, close } = await openTestStore(count > 1 ? "postgres" : engine);
  const parts = { store, owner_id: await ensureOwner(store), now: Date.now };
  await fill(parts);
  const loginLink = () => createLoginLink(parts, url);
  const first = await serveApp(store, { name, home });
  let { url, stop } = first;
  if (count > 1) {
    const balancer = await startBalancer(1);
    url = balancer.url.replace("127.0.0.1", name);
    const servers: Awaited<ReturnType<typeof serveApp>>[] = [];
    for (let at = 0; at < count; at += 1)
      servers.push(await serveApp(at === 0 ? store : await openAnother(), { name, home, base_url: url }));
    balancer.servers = servers.map((each) => each.address);
    stop = async () => {
      await balancer.close();
      for (const each of [first, ...servers]) await each.stop();
    };
  }
  return {
    url,
    parts,
    loginLink,
    async signIn(browser, options = {}) {
      const page = await (await browser.newContext(options)).newPage();
      await page.goto(await loginLink());
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(`${url}/console`);
      return page;
    },
    async close() {
      await stop();
      await close();
    },
  };
}

/** Previews a choice, and ticks the confirmation. */
export async function lookAt(page: Page): Promise<void> {
  await page.evaluate('document.getElementById("decide").className = "seen"');
  await page.getByRole("button", { name: "Preview" }).click();
  await page.locator("#decide:not(.seen)").waitFor();
  await page.getByRole("checkbox", { name: "I have looked at what it would read" }).check();
}

/** The visible text of an element, once its page is complete. */
export async function shown(part: Locator): Promise<string> {
  await part.page().waitForLoadState();
  await part.waitFor();
  const [text = ""] = await part.allInnerTexts();
  return text;
}

async function serveApp(
  store: Store,
  { name, home, base_url }: { name: string; home: string | undefined; base_url?: string },
) {
  const opened = Promise.withResolvers<OpenedApp>();
  const answer = async (request: Request, env: object) => (await opened.promise).app.fetch(request, env);
  const { url: address, stop } = await listen(answer, { host: "127.0.0.1", port: 0, stop_ms: 100 });
  const url = address.replace("127.0.0.1", name);
  opened.resolve(await openApp(store, { url, home, base_url }));
  return { address, url, stop };
}

async function fill(parts: OwnerContext): Promise<void> {
  const { store, owner_id } = parts;
  await putConnection(parts, "home", library, "Home");
  await putConnection(parts, "evil", library, SCRIPT);
  const outcomes = [
    ...(await store.ingest(owner_id, "home", [
      note("long", { title: "The lake", body: LONG_TEXT, topic: "lake", written_at: "2026-01-01T00:00:00Z" }),
      note("script", {
        title: SCRIPT,
        body: `a heron and ${SCRIPT}`,
        topic: "lake",
        written_at: "2026-02-01T00:00:00Z",
      }),
      ...Array.from({ length: 30 }, (_, at) =>
        note(`n${at}`, { title: `Note ${at}`, body: "a crane", written_at: "2026-03-01T00:00:00Z" }),
      ),
    ])),
    ...(await store.ingest(owner_id, "evil", [note("x/../y", { title: "odd key", body: "heron" })])),
  ];
  for (const outcome of outcomes) assert.equal(outcome.status, "added", JSON.stringify(outcome));
}

function note(id: string, data: object): RecordEnvelope {
  return { stream: "notes", key: id, emitted_at: "2026-04-01T00:00:00Z", data: { id, ...data } };
}
