import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBasicKeyUrl, readBasicKey, readCookieHalf, splitSecret } from "./basic-key.ts";

const SECRET = `rungs_${"aB3_-".repeat(9).slice(0, 43)}`;

function requestWith(Authorization: string): Request {
  return new Request("http://127.0.0.1/", { headers: { Authorization } });
}

test("a secret splits into two halves that join again after a round trip through the URL", () => {
  const { cookie, key } = splitSecret(SECRET);
  const half = readCookieHalf(cookie) ?? "";
  assert.equal(half + key, SECRET);
  assert.equal(readCookieHalf(SECRET), undefined);
  assert.ok(half.length - "rungs_".length >= 21 && key.length >= 21, "126 bits or more in each");
  const address = new URL(formatBasicKeyUrl("http://127.0.0.1:7717", key, "/console/search?q=a&b"));
  assert.equal(address.origin, "http://127.0.0.1:7717");
  assert.equal(address.searchParams.get("next"), "/console/search?q=a&b");
  const { username, password } = address;
  assert.equal(readBasicKey(requestWith(`Basic ${btoa(`${username}:${password}`)}`)), key);
  assert.equal(readBasicKey(requestWith(`bASIC  ${btoa(`${username}:${key}`)} `)), key);
  assert.notEqual(
    username,
    new URL(formatBasicKeyUrl("http://127.0.0.1:7717", "x".repeat(22), "/")).username,
  );
});

test("credentials that are not a Basic key are ignored", () => {
  const { key } = splitSecret(SECRET);
  const user = new URL(formatBasicKeyUrl("http://127.0.0.1", key, "/")).username;
  const others = [
    "",
    user,
    `${user}:`,
    `${user}:${key}x`,
    `${user}:${key.slice(1)}`,
    `:${key}`,
    `rungs:${key}`,
  ];
  for (const text of others) {
    assert.equal(readBasicKey(requestWith(`Basic ${btoa(text)}`)), undefined, text);
  }
  for (const header of ["Basic", "Basic %", `Bearer ${key}`, `Digest ${btoa(`${user}:${key}`)}`, key]) {
    assert.equal(readBasicKey(requestWith(header)), undefined, header);
  }
  assert.equal(readBasicKey(new Request("http://127.0.0.1/")), undefined);
});
