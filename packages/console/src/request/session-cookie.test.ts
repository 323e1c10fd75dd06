import assert from "node:assert/strict";
import { test } from "node:test";
import { clearCookie, readCookie, writeCookie } from "./session-cookie.ts";

const [PLAIN, TLS] = ["http://127.0.0.1:7717", "https://data.example.org"];

test("under TLS the cookie is bound to its exact host and never sent unencrypted", () => {
  const written = writeCookie("rungs_x", TLS);
  assert.match(written, /^__Host-rungs=rungs_x; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  assert.match(clearCookie(TLS), /^__Host-rungs=; Max-Age=0; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
});

test("a cookie for plain HTTP is not a session under TLS, nor the reverse", () => {
  const request = (Cookie: string) => new Request(PLAIN, { headers: { Cookie } });
  assert.equal(readCookie(request("a=b; rungs_session=rungs_x"), PLAIN), "rungs_x");
  assert.equal(readCookie(request("rungs_session=rungs_x"), TLS), undefined);
  assert.equal(readCookie(request("__Host-rungs=rungs_x"), TLS), "rungs_x");
  assert.equal(readCookie(request("rungs_session="), PLAIN), undefined);
});
