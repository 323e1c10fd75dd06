import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { importers } from "./importers.ts";

/** The declared version of each format, and a digest of its content. Tables have a version for every table. */
const declared: Readonly<Record<string, string>> = {
  calendar: "2 a5c8f6e08adc",
  chatgpt: "2 cbf4a9556927",
  claude: "2 62b987d36de6",
  contacts: "2 ceae65ecff4e",
  documents: "2 f60f6744498d",
  mail: "2 8369c50a589f",
  slack: "2 ac1163e465c4",
  telegram: "2 35e10a6eecac",
  whatsapp: "2 4fe760f0c2b9",
};

test("a manifest that changes gets another version: databases refuse new content under an old one", () => {
  const found = importers
    .filter(({ id }) => id !== "table")
    .map(({ id, manifest }) => {
      const digest = createHash("sha256").update(JSON.stringify(manifest)).digest("hex").slice(0, 12);
      return [id, `${manifest.declaration_version} ${digest}`];
    });
  assert.deepEqual(Object.fromEntries(found), declared);
});
