/** The page about manifests shows a valid one, and documents every member. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createRecordCheck, manifestSchema, recordEnvelopeSchema, requireManifest } from "@rungs/contract";
import { roleSchema } from "@rungs/evidence";

const page = readFileSync(new URL("../../docs/manifest.md", import.meta.url), "utf8");
const [manifest, record] = [...page.matchAll(/```json\n([\s\S]+?)```/g)].map(([, json = ""]) =>
  JSON.parse(json),
);

test("the example in docs/manifest.md is a manifest, and the record under it fits", () => {
  const [stream] = requireManifest(manifest).streams;
  assert.ok(stream);
  assert.equal(createRecordCheck(stream)(recordEnvelopeSchema.parse(record)), record.key);
});

test("docs/manifest.md names every member of a manifest and every role", () => {
  const { shape } = manifestSchema;
  const members = [...Object.keys(shape), ...Object.keys(shape.streams.element.shape)];
  const named = members.filter((name) => name !== "query" && name !== "display" && name !== "description");
  for (const name of named) assert.match(page, new RegExp(`^\\|.*\`${name}\``, "m"), name);
  for (const role of roleSchema.options) assert.ok(page.includes(`| \`${role}\` |`), role);
});
