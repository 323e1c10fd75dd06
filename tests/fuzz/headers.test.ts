/** Headers as anybody may send them: who asks, for which host, for which part, in which form. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import fc from "fast-check";
import { readFormParts } from "../../packages/console/src/imports/multipart.ts";
import { readCookie, writeCookie } from "../../packages/console/src/visit/cookie.ts";
import { parseNextPage } from "../../packages/console/src/visit/next-page.ts";
import { operations } from "../../packages/contract/src/operations/index.ts";
import { isOwnResource } from "../../packages/server/src/access/audience.ts";
import { createToken, requireBearer } from "../../packages/server/src/access/bearer.ts";
import { requireAcceptable } from "../../packages/server/src/answer/request.ts";
import { requireByteRange } from "../../packages/server/src/operations/byte-range.ts";
import { createWorld, type World } from "../http/world.ts";
import { fuzz, settle, takeOrRefuse } from "./cases.ts";
import { anyCuts, anyText, inPieces, mangledBytes, mangledText } from "./mangled.ts";

const oneOf = (...texts: string[]) => fc.oneof(anyText, mangledText(fc.constantFrom(...texts)));
const TOKEN = createToken();

fuzz("R50 Authorization gives a token or is refused", oneOf(`Bearer ${TOKEN}`, "bearer  a=="), (header) => {
  const token = takeOrRefuse(() => requireBearer(header));
  if (token === undefined) return;
  assert.match(token, /^[\w.~+/-]{1,512}=*$/);
  assert.ok(header.includes(token));
});

const ranges = oneOf("bytes=0-5", "bytes=-5", "bytes=7-", "bytes=0-1,3-4");

fuzz("Range is within the blob or refused", fc.tuple(ranges, fc.nat(20)), ([header, size_bytes]) => {
  const { range } = operations.read_blob.input.shape;
  if (!range.safeParse(header).success) return;
  const read = takeOrRefuse(() => requireByteRange(header, size_bytes));
  if (!read) return;
  assert.ok(read.start >= 0 && read.start < read.end && read.end <= size_bytes, JSON.stringify(read));
  assert.ok(Number.isInteger(read.start) && Number.isInteger(read.end));
});

fuzz(
  "Accept is met or refused",
  oneOf("application/json;q=0, */*", "text/html", "application/*"),
  (header) => {
    for (const form of ["json", "ndjson"] as const) takeOrRefuse(() => requireAcceptable(header, form));
  },
);

const hosts = oneOf("localhost:7717", "127.0.0.1", "[::1]:80", "evil.example", "localhost.evil.example");
let world: World;
before(async () => {
  world = await createWorld("sqlite", { hosts: ["rungs.example"] });
});
after(() => world.close());

fuzz(
  "a request for another host, or from another origin, stays out (DNS rebinding)",
  fc.tuple(hosts, fc.option(oneOf("http://localhost:7717", "null", "http://evil.example"))),
  async ([Host, Origin]) => {
    const headers = headersOf({ Host, ...(Origin === null ? {} : { Origin }) });
    if (!headers) return;
    const answer = await world.app.request("http://localhost:7717/healthz", { headers });
    const named = URL.parse(`http://${headers.get("Host")}`);
    const allowed = ["localhost", "127.0.0.1", "[::1]", "rungs.example"].includes(named?.hostname ?? "");
    const origin = headers.get("Origin");
    const isOwn = origin === null || URL.parse(origin)?.host === named?.host;
    assert.equal(answer.status, allowed && isOwn ? 200 : 403, JSON.stringify([Host, Origin]));
  },
);

fuzz("a cookie gives the session's token or nothing", oneOf(`rungs_session=${TOKEN}; a=b`), (Cookie) => {
  const headers = headersOf({ Cookie });
  if (!headers) return;
  const token = readCookie(new Request("http://localhost/", { headers }), "http://localhost");
  assert.ok(token === undefined || (typeof token === "string" && token.length <= Cookie.length));
  assert.doesNotMatch(writeCookie(TOKEN, "http://localhost"), /[\r\n]/);
});

fuzz("after signing in the browser stays in the console", nextPages(), (text) => {
  const next = parseNextPage(text);
  const { origin, pathname } = new URL(next, "http://here");
  assert.equal(origin, "http://here");
  assert.match(pathname, /^\/console(?:\/|$)/);
});

fuzz("RFC 8707 a resource is this server's own or none", resources(), (resource) => {
  if (!isOwnResource(resource, "http://127.0.0.1:7717")) return;
  const { hostname, port } = new URL(resource);
  assert.ok(["localhost", "127.0.0.1", "[::1]"].includes(hostname) && port === "7717", resource);
});

const CRLF = "\r\n";
const form = [
  "--b",
  'Content-Disposition: form-data; name="file"; filename="a.mbox"',
  "",
  "text",
  "--b--",
  "",
];
const forms = mangledBytes(fc.constant(Buffer.from(form.join(CRLF))));
const types = oneOf("multipart/form-data; boundary=b", 'multipart/form-data; boundary="b"');

fuzz("an upload's parts are read or refused", fc.tuple(forms, types, anyCuts), async ([body, type, cuts]) => {
  const headers = headersOf({ "Content-Type": type });
  if (!headers) return;
  let size = 0;
  await settle(async () => {
    const stream = ReadableStream.from(inPieces(body, cuts));
    const init = { method: "POST", body: stream, duplex: "half", headers } as RequestInit;
    for await (const part of readFormParts(new Request("http://localhost/", init))) {
      for await (const piece of part.content) size += piece.length;
    }
  });
  assert.ok(size <= body.length, "no more comes out than went in");
});

/** Undefined for what no client can send. */
function headersOf(headers: Record<string, string>): Headers | undefined {
  try {
    return new Headers(headers);
  } catch {
    return undefined;
  }
}

function nextPages() {
  return oneOf("/console/search?q=a", "//evil.example", "/\\evil.example", "/console/../v1", "https:console");
}

function resources() {
  return oneOf(
    "http://127.0.0.1:7717/mcp",
    "http://localhost:7717",
    "http://127.0.0.1:7717@evil.example/mcp",
  );
}
