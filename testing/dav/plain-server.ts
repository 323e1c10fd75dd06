/**
 * A small server for calendars and contacts. It covers what Radicale cannot: no sync tokens, partial lists, expired
 * tokens. Also the server on machines without Radicale.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { DavTestServer } from "./dav-server.ts";

/** What the server can do. */
export interface PlainServerOptions {
  /** Whether it lists changes since a token; how many it lists in one answer. */
  readonly changes?: { readonly part: number } | undefined;
}

/** The server, and what tests change in it. */
export interface PlainServer extends DavTestServer {
  /** Invalidates every token issued so far. */
  forgetTokens(): void;
  /** How many requests it answered. */
  countRequests(): number;
}

interface Collection {
  type: "calendar" | "addressbook";
  title: string;
  /** The version after each change, by object; a deleted object has no content. */
  readonly objects: Map<string, { content: string | undefined; version: number }>;
}

const USER = "jo";
const PASSWORD = "correct horse";
const HOME = "/dav/jo/";
const MULTISTATUS = 207;

export async function startPlainServer({ changes }: PlainServerOptions = {}): Promise<PlainServer> {
  const collections = new Map<string, Collection>();
  let version = 1;
  let oldest = 0;
  let requests = 0;

  const list = (responses: readonly string[], more = "") =>
    `<multistatus xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:card="urn:ietf:params:xml:ns:carddav" xmlns:cs="http://calendarserver.org/ns/">${responses.join("")}${more}</multistatus>`;
  const response = (path: string, props: string, status = "200 OK") =>
    `<response><href>${escapeXml(encodeURI(path))}</href><propstat><prop>${props}</prop><status>HTTP/1.1 ${status}</status></propstat></response>`;
  const gone = (path: string, status: string) =>
    `<response><href>${escapeXml(encodeURI(path))}</href><status>HTTP/1.1 ${status}</status></response>`;
  const versionOf = ({ objects }: Collection) =>
    Math.max(0, ...[...objects.values()].map((each) => each.version));
  const describe = (path: string, collection: Collection) =>
    response(
      path,
      `<resourcetype><collection/>${collection.type === "calendar" ? "<c:calendar/>" : "<card:addressbook/>"}</resourcetype><displayname>${escapeXml(collection.title)}</displayname><cs:getctag>v${versionOf(collection)}</cs:getctag>${
        changes
          ? "<supported-report-set><supported-report><report><sync-collection/></report></supported-report></supported-report-set>"
          : ""
      }`,
    );

  function propfind(path: string): string | undefined {
    if (path === "/")
      return list([response(path, `<current-user-principal><href>${HOME}</href></current-user-principal>`)]);
    if (path === HOME)
      return list([
        response(
          path,
          `<resourcetype><collection/></resourcetype><c:calendar-home-set><href>${HOME}</href></c:calendar-home-set><card:addressbook-home-set><href>${HOME}</href></card:addressbook-home-set>`,
        ),
        ...[...collections].map(([each, collection]) => describe(each, collection)),
      ]);
    const collection = collections.get(path);
    return collection && list([describe(path, collection), ...listObjects(path, collection)]);
  }

  function listObjects(path: string, { objects }: Collection): string[] {
    return [...objects].flatMap(([name, { content }]) =>
      content === undefined ? [] : [response(`${path}${name}`, `<getetag>${etagOf(content)}</getetag>`)],
    );
  }

  function report(path: string, body: string): string | undefined {
    const collection = collections.get(path);
    if (!collection) return undefined;
    if (/sync-collection/.test(body)) return changes && listChanges(path, collection, body, changes.part);
    const hrefs = [...body.matchAll(/<(?:\w+:)?href>([^<]*)<\/(?:\w+:)?href>/g)].map(([, href = ""]) =>
      decodeURI(href.replaceAll("&amp;", "&")),
    );
    return list(
      hrefs.map((href) => {
        const content = collection.objects.get(href.slice(path.length))?.content;
        if (content === undefined) return gone(href, "404 Not Found");
        const name = collection.type === "calendar" ? "c:calendar-data" : "card:address-data";
        return response(
          href,
          `<getetag>${etagOf(content)}</getetag><${name}>${escapeXml(content)}</${name}>`,
        );
      }),
    );
  }

  function listChanges(
    path: string,
    { objects }: Collection,
    body: string,
    part: number,
  ): string | undefined {
    const since = Number(/t(\d+)</.exec(body)?.[1] ?? 0);
    if (since !== 0 && since < oldest) return undefined;
    const changed = [...objects]
      .filter(([, each]) => each.version > since)
      .sort(([, a], [, b]) => a.version - b.version);
    const some = changed.slice(0, part);
    const isPart = some.length < changed.length;
    const next = isPart ? (some.at(-1)?.[1].version ?? since) : version;
    return list(
      [
        ...some.map(([name, { content }]) =>
          content === undefined
            ? gone(`${path}${name}`, "404 Not Found")
            : response(`${path}${name}`, `<getetag>${etagOf(content)}</getetag>`),
        ),
        ...(isPart ? [gone(path, "507 Insufficient Storage")] : []),
      ],
      `<sync-token>t${next}</sync-token>`,
    );
  }

  function write(method: string, path: string, body: string): boolean {
    version += 1;
    const title = /<displayname>([^<]*)</.exec(body)?.[1]?.replaceAll("&lt;", "<").replaceAll("&amp;", "&");
    if (method === "MKCALENDAR" || method === "MKCOL") {
      const type = method === "MKCALENDAR" ? "calendar" : "addressbook";
      collections.set(path, { type, title: title ?? path, objects: new Map() });
      return true;
    }
    const folder = path.slice(0, path.lastIndexOf("/", path.length - 2) + 1);
    const collection = collections.get(path) ?? collections.get(folder);
    if (!collection) return false;
    if (method === "PROPPATCH") collection.title = title ?? collection.title;
    else if (method === "DELETE" && collections.has(path)) collections.delete(path);
    else
      collection.objects.set(path.slice(folder.length), {
        content: method === "DELETE" ? undefined : body,
        version,
      });
    return true;
  }

  async function answer(request: IncomingMessage): Promise<{ status: number; body: string }> {
    const body = await text(request);
    const path = decodeURI(request.url ?? "/");
    const method = request.method ?? "";
    const expected = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString("base64")}`;
    if (request.headers.authorization !== expected) return { status: 401, body: "" };
    requests += 1;
    if (method === "PROPFIND" || method === "REPORT") {
      const found = method === "PROPFIND" ? propfind(path) : report(path, body);
      if (found !== undefined) return { status: MULTISTATUS, body: found };
      return { status: method === "REPORT" ? 403 : 404, body: "" };
    }
    return { status: method !== "GET" && write(method, path, body) ? 201 : 404, body: "" };
  }

  const server = createServer((request, response) => {
    answer(request).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/xml; charset=utf-8", connection: "close" });
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    name: "the tests' own server",
    url: `http://127.0.0.1:${port}/`,
    home: HOME.slice(1),
    user: USER,
    password: PASSWORD,
    forgetTokens() {
      version += 1;
      oldest = version;
    },
    countRequests: () => requests,
    async restart() {
      server.closeAllConnections();
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function etagOf(content: string): string {
  return `"${createHash("sha256").update(content).digest("hex").slice(0, 16)}"`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
