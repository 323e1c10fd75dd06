import assert from "node:assert/strict";
import { test } from "node:test";
import { type OutgoingRecord, presentRecord } from "@rungs/contract";
import { nameRecord } from "./row.ts";

const FILE = { blob_id: "b1", mime_type: "image/png", size_bytes: 8, sha256: "0".repeat(64) };

function name(data: object): string {
  const record: OutgoingRecord = {
    object: "record",
    id: "k~1",
    handle: "c/s:k~1",
    connection_id: "c",
    stream: "s",
    emitted_at: "",
    data: { ...data },
    shapes: [
      { name: "label", role: "primary-title" },
      { name: "text", role: "body" },
    ],
  };
  return nameRecord(presentRecord(record, 1000), 20);
}

test("a record is titled by its title, else its text, else its file, else its values, else its key", () => {
  assert.equal(name({ label: "The lake", text: "A heron", file: FILE }), "The lake");
  assert.equal(name({ text: "A heron", file: FILE }), "A heron");
  assert.equal(name({ file: { ...FILE, filename: "heron.png" } }), "heron.png");
  assert.equal(name({ file: FILE }), "Unnamed file, PNG picture");
  assert.equal(name({ key: "k~1", town: "Kyoto", year: 2026, more: ["x"] }), "Kyoto · 2026");
  assert.equal(name({ town: "A long name of a town" }), "A long name of a tow…");
  assert.equal(name({}), "k~1");
});
