import assert from "node:assert/strict";
import { test } from "node:test";
import { type Cut, recordSchema, restoreCuts, tombstoneSchema } from "../record/record.ts";
import { clampLimit, RECORD_PAGE, SEARCH_PAGE } from "./limits.ts";
import { createList, listSchema } from "./list.ts";

test("a limit that is too large is lowered with a warning, not refused", () => {
  assert.deepEqual(clampLimit(undefined, RECORD_PAGE), { limit: 25, warnings: [] });
  assert.deepEqual(clampLimit(100, RECORD_PAGE), { limit: 100, warnings: [] });
  assert.deepEqual(clampLimit(undefined, SEARCH_PAGE).limit, 10);
  const { limit, warnings } = clampLimit(101, RECORD_PAGE);
  assert.equal(limit, 100);
  assert.deepEqual(
    warnings.map(({ code, param }) => [code, param]),
    [["limit_clamped", "limit"]],
  );
});

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
  const { warnings } = clampLimit(1000, RECORD_PAGE);
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

test("the prefix of a cut text is in the data, that of cut JSON in the cut", () => {
  const size = { size_chars: 9000, size_bytes: 9000, digest: "d" };
  const cuts: Cut[] = [
    { path: "parts[0].text", kind: "text", ...size },
    { path: "tree", kind: "json", head: '{"a', ...size },
  ];
  assert.deepEqual(restoreCuts({ data: { parts: [{ text: "begin" }], tree: null }, cuts }), [
    { path: "parts[0].text", kind: "text", prefix: "begin", ...size },
    { path: "tree", kind: "json", prefix: '{"a', ...size },
  ]);
  assert.deepEqual(restoreCuts({ data: {} }), []);
});
