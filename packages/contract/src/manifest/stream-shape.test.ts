import assert from "node:assert/strict";
import { test } from "node:test";
import { exampleManifest as mail } from "./example-manifest.ts";
import { requireManifest } from "./require-manifest.ts";
import { describeStream, type FieldShape } from "./stream-shape.ts";

const [messages, labels] = requireManifest(mail).streams.map(describeStream);

function field(name: string): FieldShape {
  return messages!.fields.find((each) => each.name === name)!;
}

test("a stream's shape has its names, and omits what is not declared", () => {
  const { fields, ...shape } = messages!;
  assert.deepEqual(shape, {
    name: "messages",
    parents: [],
    semantics: "append_only",
    primary_key: ["id"],
    cursor_field: "sent_at",
    consent_time_field: "sent_at",
  });
  assert.equal(fields.length, 10);
  assert.equal("consent_time_field" in labels!, false);
});

test("a field's types come from its type or its reference; without either, it has all types", () => {
  assert.deepEqual(field("subject").types, ["string", "null"]);
  assert.deepEqual(field("from").types, ["object"]);
  assert.deepEqual(field("anything").types, ["string", "number", "boolean", "null", "array", "object"]);
});

test("R36 roles and media types come from the declaration alone", () => {
  assert.equal(field("from").role, "actor");
  assert.equal(field("body").media_type, "text/plain");
  assert.equal(field("raw").encoding, "base64");
  assert.equal(field("id").role, undefined);
});

test("a search path belongs to its top-level field", () => {
  assert.deepEqual(field("from").lexical, ["from.name"]);
  assert.deepEqual(field("parts").lexical, ["parts"]);
  assert.deepEqual(field("id").lexical, []);
});

test("filters take scalar fields that are not searched, persons, and what is declared for comparison", () => {
  const filterable = messages!.fields.filter((each) => each.filterable).map((each) => each.name);
  assert.deepEqual(filterable, ["id", "subject", "from", "sent_at", "size_bytes", "unread"]);
  assert.deepEqual(messages!.fields.find(({ name }) => name === "from")?.listed, ["string"]);
  assert.deepEqual(
    filterable.filter((name) => name !== "from"),
    messages!.fields.filter((each) => each.aggregatable).map((each) => each.name),
  );
});
