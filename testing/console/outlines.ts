/** The outline of a page: the texts of its parts. A screenshot is stale once the outline has changed. */
import { PAGES, type ServedDemo } from "./demo.ts";
import { type Halves, openSession } from "./served.ts";

const PARTS = /<(h1|h2|h3|label|legend|button|summary|th|dt|a|p)\b[^>]*>(.*?)<\/\1>/gs;

/** The texts of each page, by its name. */
export type Outlines = Record<string, string[]>;

/** Formats outlines, one page a line. */
export function formatOutlines(outlines: Outlines): string {
  return Object.entries(outlines)
    .map((page) => `${JSON.stringify(page)}\n`)
    .join("");
}

/** Parses what `formatOutlines` wrote. */
export function parseOutlines(text: string): Outlines {
  const lines = text.split("\n").filter((line) => line !== "");
  return Object.fromEntries(lines.map((line) => JSON.parse(line)));
}

/** The outline of each page in docs/screenshots, by name; the demo has several owners afterwards. */
export async function readOutlines(demo: ServedDemo): Promise<Outlines> {
  const halves = await openSession(await demo.loginLink());
  // While something is being counted, the page says so and refreshes itself.
  const read = async (path: string): Promise<string> => {
    const page = await (await fetch(demo.url + path, { headers: { ...halves } })).text();
    return page.includes(" data-renew=") ? read(path) : page;
  };
  const outlines: Outlines = {};
  for (const [name, path] of Object.entries(PAGES)) {
    if (path === "consent") outlines[name] = outline(await readConsent(demo.authorizationUrl(), halves));
    else if (path === "receipt")
      outlines[name] = outline(await read(findReceipt(await read("/console/activity"))));
    else if (name === "sign-in") outlines[name] = outline(await (await fetch(demo.url + path)).text());
    else outlines[name] = outline(await read(path));
  }
  for (const [name, { url, loginLink }] of Object.entries(await demo.share())) {
    const own = loginLink ? await openSession(await loginLink()) : halves;
    outlines[name] = outline(await (await fetch(url, { headers: { ...own } })).text());
  }
  return outlines;
}

/** The address of the first receipt on the page of activity. */
export function findReceipt(page: string): string {
  const path = /href="(\/console\/activity\/receipt[^"]*)"/.exec(page)?.[1] ?? "";
  return path.replaceAll("&amp;", "&");
}

/** Follows an authorization request as a browser does: with the cookie that binds it. */
export async function readConsent(address: string, halves: Halves): Promise<string> {
  const first = await fetch(address, { headers: { ...halves }, redirect: "manual" });
  const cookies = first.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
  const Cookie = [halves.Cookie, ...cookies].join("; ");
  const at = new URL(first.headers.get("Location") ?? "", address);
  return (await fetch(at, { headers: { ...halves, Cookie } })).text();
}

/** Numbers, ids and times differ from run to run. */
function outline(page: string): string[] {
  const main = page
    .slice(page.indexOf("<main"), page.indexOf("</main>"))
    .replace(/<p class="waiting".*?<\/p>/s, "");
  const texts = [...main.matchAll(PARTS)].map(([, , inner = ""]) =>
    inner
      .replace(/<option.*?<\/option>/gs, "")
      .replace(/<code class="id">.*?<\/code>/gs, " ")
      .replace(/<[^>]*>/g, " ")
      .replace(/\bgrant_[\w-]+/g, "0")
      .replace(/[\w-]*\d[\w-]*/g, "0")
      .replace(/\s+/g, " ")
      .trim(),
  );
  return [...new Set(texts.filter((text) => text !== ""))];
}
