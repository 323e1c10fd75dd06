import assert from "node:assert/strict";
import { test } from "node:test";
import { readSpellings } from "./other-spellings.ts";

test("R85 translates the spellings of the protocol's other adapter; keeps our own and unknown arguments", () => {
  assert.deepEqual(readSpellings("search", { q: "tea", streams: ["notes", "mail"], limit: 3, nearby: 1 }), {
    query: "tea",
    stream: "notes,mail",
    limit: 3,
    nearby: 1,
  });
  assert.deepEqual(
    readSpellings("query_records", {
      stream: "notes",
      sort: "-sent_at",
      connector_instance_id: "home",
      filter: { sent_at: { gte: "2026", lt: "2027" }, done: true },
    }),
    {
      stream: "notes",
      order_by: "sent_at",
      order: "desc",
      connection_id: "home",
      filter: ["sent_at>=2026", "sent_at<2027", "done=true"],
    },
  );
  assert.deepEqual(readSpellings("schema", { detail: "compact", view: "full" }), {});
  const own = { stream: "notes", filter: ["done=true"], order: "asc" };
  assert.deepEqual(readSpellings("query_records", own), own);
  for (const odd of [undefined, null, 3, "text"]) assert.equal(readSpellings("search", odd), odd);
  assert.deepEqual(readSpellings("query_records", { filter: "done=true" }), { filter: "done=true" });
});
