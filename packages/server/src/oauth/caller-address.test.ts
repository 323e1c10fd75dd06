import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { findCallerAddress } from "./create-oauth.ts";

function find(remoteAddress: string, forwarded?: string, behind_proxy = forwarded !== undefined): string {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  return findCallerAddress({ socket: { remoteAddress }, headers } as IncomingMessage, behind_proxy);
}

test("a caller is known by its address, an IPv6 caller by its network", () => {
  assert.equal(find("192.0.2.7"), "192.0.2.7");
  assert.equal(find("::ffff:192.0.2.7"), "192.0.2.7");
  assert.equal(find("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2");
  assert.equal(find("2001:db8::9"), find("2001:db8::8:7"));
  assert.notEqual(find("2001:db8:1:2::1"), find("2001:db8:1:3::1"));
  assert.equal(find("::1"), "0:0:0:0");
});

test("behind a proxy, the address is the one that the proxy saw, never one that a caller wrote", () => {
  assert.equal(find("127.0.0.1", "203.0.113.5"), "203.0.113.5");
  assert.equal(find("127.0.0.1", "1.1.1.1, 203.0.113.5"), "203.0.113.5");
  assert.equal(find("192.0.2.7", "203.0.113.5", false), "192.0.2.7");
  assert.equal(find("127.0.0.1", "", true), "127.0.0.1");
});
