import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { importers } from "./importers.ts";

/** The declared version of each format, and a digest of its content. Tables have a version for every table. */
const declared: Readonly<Record<string, string>> = {
  calendar: "3 176fe499be04",
  chatgpt: "2 cbf4a9556927",
  claude: "2 62b987d36de6",
  contacts: "3 8830b61ca021",
  documents: "3 3792573148ee",
  mail: "4 a9de8582f2b9",
  slack: "3 c54d98cdc22c",
  telegram: "2 35e10a6eecac",
  whatsapp: "3 917a50c33f45",
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
