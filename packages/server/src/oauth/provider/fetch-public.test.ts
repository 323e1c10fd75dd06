import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { fetchPublic, isPublicAddress } from "./fetch-public.ts";

test("accepts only addresses of the public internet", () => {
  const inside = [
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "fe80::1",
    "fd00::1",
    "2002:7f00:1::",
    "2001:db8::1",
    "ff02::1",
    "localhost",
    "",
  ];
  for (const address of inside) assert.equal(isPublicAddress(address), false, address);
  for (const address of ["1.1.1.1", "93.184.216.34", "172.32.0.1", "2606:4700::1111"]) {
    assert.equal(isPublicAddress(address), true, address);
  }
});

test("never connects to a local address, by IP or by name", async () => {
  let connections = 0;
  const server = createServer().on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    for (const host of ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"]) {
      await assert.rejects(fetchPublic(`https://${host}:${port}/client.json`), Error, host);
    }
    await assert.rejects(fetchPublic(`http://localhost:${port}/`), /only https/);
    assert.equal(connections, 0);
  } finally {
    server.close();
  }
});
