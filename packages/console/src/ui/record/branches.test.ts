import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutgoingRecord } from "@rungs/contract";
import { findBranches } from "./around.ts";

function record(id: string, parent: string | null, role = "parent"): OutgoingRecord {
  const shapes = [{ name: "answers", role: role as "parent" }];
  return {
    object: "record",
    id,
    handle: `h-${id}`,
    connection_id: "c",
    stream: "s",
    emitted_at: "",
    data: { answers: parent },
    shapes,
  };
}

test("answers to the same record are versions, and the rest is another branch", () => {
  const records = [
    record("q", null),
    record("a1", "q"),
    record("a2", "q"),
    record("b1", "a1"),
    record("b2", "a2"),
  ];
  const found = findBranches(records, "h-a2");
  assert.deepEqual(Object.fromEntries(found), {
    "h-q": { is_aside: false },
    "h-a1": { is_aside: true, number: 1, of: 2 },
    "h-a2": { is_aside: false, number: 2, of: 2 },
    "h-b1": { is_aside: true },
    "h-b2": { is_aside: false },
  });
});

test("without the role there are no branches, whatever the fields are called", () => {
  assert.equal(findBranches([record("q", null, "thread"), record("a", "q", "thread")], "h-q").size, 0);
});

test("records that answer each other end the search", () => {
  const found = findBranches([record("a", "b"), record("b", "a"), record("c", "c")], "h-a");
  assert.equal(found.get("h-b")?.is_aside, false);
  assert.equal(found.get("h-c")?.is_aside, true);
});
