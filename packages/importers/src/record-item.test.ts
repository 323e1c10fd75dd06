import assert from "node:assert/strict";
import { test } from "node:test";
import { joinKey, toRecordItem, withCheckpoint } from "./record-item.ts";

test("R22 texts of a record are cleaned at any depth, and empty members are dropped", () => {
  const data = {
    id: "a",
    text: "x\u0000\ud800",
    none: null,
    empty: "",
    list: [{ name: "\udc00", gone: undefined }, {}],
    no: false,
  };
  assert.deepEqual(toRecordItem("s", "p", data).data, {
    id: "a",
    text: "x\ufffd",
    list: [{ name: "\ufffd" }],
    no: false,
  });
});

test("R75 a value nested too deep passes through, and the store rejects its record", () => {
  const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`) as unknown;
  assert.equal(toRecordItem("s", "p", { id: "a", deep }).key, "a");
});

test("R03 a key is the id of the export, or a digest where that is not a valid key", () => {
  assert.equal(joinKey("C1", "17.5"), "C1~17.5");
  assert.equal(new Set([joinKey("a~", "b"), joinKey("a", "~b"), joinKey("a~b"), joinKey("a", "b")]).size, 4);
  for (const bad of ["", "x".repeat(513), "a\nb", "\ud800"]) {
    assert.match(joinKey(bad), /^[0-9a-f]{64}$/);
    assert.notEqual(joinKey(bad), joinKey(`${bad}.`.repeat(600)));
  }
});

test("only the last item of a group has its checkpoint", async () => {
  const items = ["a", "b"].map((id) => toRecordItem("s", id, { id }));
  const marked = await Array.fromAsync(withCheckpoint(items, "7"));
  assert.deepEqual(
    marked.map(({ checkpoint }) => checkpoint),
    [undefined, "7"],
  );
  assert.deepEqual(await Array.fromAsync(withCheckpoint([], "7")), []);
});
