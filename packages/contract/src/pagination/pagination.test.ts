import assert from "node:assert/strict";
import { test } from "node:test";
import { type Cut, markCut, recordSchema, restoreCuts, tombstoneSchema } from "../record/record.ts";
import { createList, listSchema } from "./pagination.ts";

test("a page has more exactly when it has a next cursor, and omits empty members", () => {
  const tombstone = tombstoneSchema.parse({
    object: "record",
    id: "r",
    connection_id: "c",
    stream: "s",
    deleted: true,
    deleted_at: "2026-04-01T00:00:00Z",
    emitted_at: "2026-04-01T00:00:00Z",
  });
  const last = createList({ url: "/v1/streams", data: [tombstone] });
  assert.deepEqual(last, { object: "list", url: "/v1/streams", data: [tombstone], has_more: false });
  const warnings = [{ code: "limit_clamped", message: "limit was cut to 100.", param: "limit" }];
  const page = createList({
    url: "/v1/streams",
    data: [tombstone],
    next_cursor: "n",
    next_changes_since: "x",
    freshness: { last_updated: null },
    warnings,
  });
  assert.equal(page.has_more, true);
  assert.deepEqual(listSchema(tombstoneSchema).parse(page), page);
  assert.equal(recordSchema.safeParse(tombstone).success, false);
});

test("restores only the marks that cuts lists: a record may hold an object that looks like one", () => {
  const size = { size_chars: 9000, size_bytes: 9000, digest: "d" };
  const cuts: Cut[] = [
    { path: '["a.b"]', kind: "text", ...size },
    { path: "tree", kind: "json", ...size },
  ];
  const data = { "a.b": markCut("begin", 9000), tree: markCut('{"a', 9000), own: markCut("mine", 4) };
  assert.deepEqual(restoreCuts({ data, cuts }), {
    data: { "a.b": "begin", tree: null, own: markCut("mine", 4) },
    cuts: [
      { path: '["a.b"]', kind: "text", prefix: "begin", ...size },
      { path: "tree", kind: "json", prefix: '{"a', ...size },
    ],
  });
  assert.deepEqual(restoreCuts({ data: {} }), { data: {}, cuts: [] });
});
