/** Hostile request headers: Authorization, Range, Accept, Host, Origin, and the resource of a token. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { operations } from "@rungs/contract";
import fc from "fast-check";
import { fuzz, takeOrRefuse } from "../../../../testing/fuzz/cases.ts";
import { anyText, mangledText } from "../../../../testing/fuzz/mangled.ts";
import { createWorld, type World } from "../../../../testing/world.ts";
import { isOwnResource } from "../access/audience.ts";
import { createToken, requireCredential } from "../access/tokens.ts";
import { requireAcceptable } from "../answer/exchange.ts";
import { requireByteRange } from "../operations/read-blob.ts";

const oneOf = (...texts: string[]) => fc.oneof(anyText, mangledText(fc.constantFrom(...texts)));
const TOKEN = createToken();

fuzz(
  "R50 Authorization gives a token or is refused",
  oneOf(`Bearer ${TOKEN}`, "bearer  a==", `DPoP ${TOKEN}`),
  (header) => {
    const token = takeOrRefuse(() => requireCredential(header))?.token;
    if (token === undefined) return;
    assert.match(token, /^[\w.~+/-]{1,8192}=*$/);
    assert.ok(header.includes(token));
  },
);

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

fuzz("RFC 8707 a resource is this server's own or none", resources(), (resource) => {
  if (!isOwnResource(resource, "http://127.0.0.1:7717")) return;
  const { hostname, port } = new URL(resource);
  assert.ok(["localhost", "127.0.0.1", "[::1]"].includes(hostname) && port === "7717", resource);
});

/** Undefined for what no client can send. */
function headersOf(headers: Record<string, string>): Headers | undefined {
  try {
    return new Headers(headers);
  } catch {
    return undefined;
  }
}

function resources() {
  return oneOf(
    "http://127.0.0.1:7717/mcp",
    "http://localhost:7717",
    "http://127.0.0.1:7717@evil.example/mcp",
  );
}
