import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { importers } from "./importers.ts";

/** The declared version of each format, and a digest of its content. Tables have a version for every table. */
const declared: Readonly<Record<string, string>> = {
  "apple-notes": "1 2f9869dc1d59",
  browser: "1 9073aa3885d1",
  calendar: "4 0cf476472916",
  chatgpt: "3 8662a5cd5ff6",
  claude: "3 7a2bc033dbe6",
  contacts: "3 5618ed7fc7e7",
  discord: "1 d24d96204e8b",
  documents: "5 ace3070f90cf",
  evernote: "2 8b92acc581d1",
  google: "1 eacb010c54ff",
  imessage: "1 12f56f221d44",
  linkedin: "1 d35a8495de3c",
  mail: "7 7412830ac3b3",
  meta: "1 6816fa245a2f",
  notion: "1 dca976c80543",
  signal: "1 37600e688270",
  slack: "4 1babf2e61544",
  telegram: "2 3436b1a8eeb5",
  twitter: "1 6aea865691a0",
  whatsapp: "4 5675b8b160cf",
};

test("a changed manifest gets a new version: databases refuse new content under an old version", () => {
  const found = importers
    .filter(({ id }) => id !== "table")
    .map(({ id, manifest }) => {
      const digest = createHash("sha256").update(JSON.stringify(manifest)).digest("hex").slice(0, 12);
      return [id, `${manifest.declaration_version} ${digest}`];
    });
  assert.deepEqual(Object.fromEntries(found), declared);
});
