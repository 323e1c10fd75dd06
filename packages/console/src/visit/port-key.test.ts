import assert from "node:assert/strict";
import { test } from "node:test";
import { formatKeyAddress, readHalf, readKey, splitSecret } from "./port-key.ts";

const SECRET = `rungs_${"aB3_-".repeat(9).slice(0, 43)}`;

function requestWith(Authorization: string): Request {
  return new Request("http://127.0.0.1/", { headers: { Authorization } });
}

test("a secret is cut into two halves that make it whole again, by the address and back", () => {
  const { cookie, key } = splitSecret(SECRET);
  const half = readHalf(cookie) ?? "";
  assert.equal(half + key, SECRET);
  assert.equal(readHalf(SECRET), undefined);
  assert.ok(half.length - "rungs_".length >= 21 && key.length >= 21, "126 bits or more in each");
  const address = new URL(formatKeyAddress("http://127.0.0.1:7717", key, "/console/search?q=a&b"));
  assert.equal(address.origin, "http://127.0.0.1:7717");
  assert.equal(address.searchParams.get("next"), "/console/search?q=a&b");
  const { username, password } = address;
  assert.equal(readKey(requestWith(`Basic ${btoa(`${username}:${password}`)}`)), key);
  assert.equal(readKey(requestWith(`bASIC  ${btoa(`${username}:${key}`)} `)), key);
  assert.notEqual(username, new URL(formatKeyAddress("http://127.0.0.1:7717", "x".repeat(22), "/")).username);
});

test("what is no key of ours is none", () => {
  const { key } = splitSecret(SECRET);
  const user = new URL(formatKeyAddress("http://127.0.0.1", key, "/")).username;
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
    assert.equal(readKey(requestWith(`Basic ${btoa(text)}`)), undefined, text);
  }
  for (const header of ["Basic", "Basic %", `Bearer ${key}`, `Digest ${btoa(`${user}:${key}`)}`, key]) {
    assert.equal(readKey(requestWith(header)), undefined, header);
  }
  assert.equal(readKey(new Request("http://127.0.0.1/")), undefined);
});
