import assert from "node:assert/strict";
import { test } from "node:test";
import { fitPage } from "./fit-page.ts";
import { countJson, STRUCTURED_BYTES } from "./limits.ts";

const items = Array.from({ length: 20 }, (_, at) => ({ at, text: "x".repeat(at * 200) }));

test("R14 R15 a page that is too large is asked for again, smaller, and is the server's own", async () => {
  const asked: number[] = [];
  const ask = async (limit: number) => {
    asked.push(limit);
    return { data: items.slice(0, limit), next_cursor: "c".repeat(limit < 20 ? 300 : 0) };
  };
  const page = await fitPage(20, ask, (each) => each);
  assert.deepEqual(asked, [20, page.data.length]);
  assert.ok(countJson(page) <= STRUCTURED_BYTES && page.data.length > 5);
});

test("R14 a page that fits is asked for once", async () => {
  let asked = 0;
  const ask = async (limit: number) => {
    asked += 1;
    return { data: items.slice(0, limit) };
  };
  await fitPage(3, ask, (page) => page);
  assert.equal(asked, 1);
});
