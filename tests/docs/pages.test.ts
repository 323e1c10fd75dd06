import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { generatedPages } from "../../scripts/pages.ts";

const docs = new URL("../../docs/", import.meta.url);

for (const [name, text] of Object.entries(generatedPages())) {
  test(`docs/${name} says what the contract says; npm run docs writes it`, () => {
    assert.equal(readFileSync(new URL(name, docs), "utf8"), text);
  });
}
