import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { packStreams, unpackStreams } from "./chosen-page.ts";

test("packed streams round-trip, whatever their names contain", () => {
  const names = ["home/notes", "a b/ü\n鷺", "%0A/&=+"];
  const streams = new Map(names.map((name) => [name, new URLSearchParams([["show:*:a b", `${name}&=`]])]));
  const unpacked = [...unpackStreams(packStreams(streams))].map(([name, own]) => [name, own.toString()]);
  assert.deepEqual(
    unpacked,
    [...streams].map(([name, own]) => [name, own.toString()]),
  );
});

test("R57 a few packed bytes cannot expand to millions of streams", () => {
  const pack = (count: number) => deflateRawSync("a b\n".repeat(count)).toString("base64url");
  assert.equal(unpackStreams(pack(9_000)).size, 2);
  for (const count of [20_000, 900_000])
    assert.throws(() => unpackStreams(pack(count)), { code: "invalid_request" }, `${count}`);
});
