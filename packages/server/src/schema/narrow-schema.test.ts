import assert from "node:assert/strict";
import { test } from "node:test";
import { describeStream, exampleManifest, type ManifestStream, narrowShape } from "@rungs/contract";
import { narrowSchema } from "./stream-declaration.ts";

const [messages] = exampleManifest.streams as [ManifestStream];

function narrow(fields: string[], stream = messages) {
  return narrowSchema(stream, narrowShape(describeStream(stream), fields));
}

test("R54 keeps only definitions that a granted field needs", () => {
  assert.deepEqual(Object.keys(narrow(["id", "parts"]).$defs as object), ["part"]);
  assert.equal("$defs" in narrow(["id", "subject"]), false);
  assert.deepEqual(narrow(["subject"]).required, []);
});

test("R54 a field that refers to another field's schema shows only its type", () => {
  const { schema } = messages;
  assert.ok(typeof schema === "object");
  const properties = { ...schema.properties, copy: { $ref: "#/properties/body" } };
  const { properties: shown } = narrow(["id", "copy"], {
    ...messages,
    schema: { ...schema, properties },
  }) as {
    properties: Record<string, unknown>;
  };
  assert.deepEqual(shown.copy, { type: ["string"] });
});
