/** Hostile requests to the console: cookies, the page to return to, and uploads. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { fuzz, settle } from "../../../../testing/fuzz/cases.ts";
import { anyCuts, anyText, inPieces, mangledBytes, mangledText } from "../../../../testing/fuzz/mangled.ts";
import { readFormParts } from "../imports/multipart.ts";
import { parseNextPage } from "../pages/sign-in.ts";
import { readCookie, writeCookie } from "../request/session-cookie.ts";

const oneOf = (...texts: string[]) => fc.oneof(anyText, mangledText(fc.constantFrom(...texts)));
const TOKEN = "a".repeat(43);

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
