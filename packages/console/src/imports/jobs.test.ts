import assert from "node:assert/strict";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ConsoleContext } from "../context.ts";
import { startImport } from "./jobs.ts";

test("an upload whose job cannot be saved is removed from the disk", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rungs-upload-"));
  const path = join(folder, "mail.mbox");
  writeFileSync(path, "private");
  const store = { putState: () => Promise.reject(new Error("the disk is full")) };
  // Nothing else of the context is used before the job is saved.
  const context = { store, owner_id: "owner", now: Date.now } as unknown as ConsoleContext;
  const importFile = () => Promise.reject(new Error("must not begin"));
  await assert.rejects(startImport(context, importFile, { path, name: "mail.mbox", label: undefined }));
  assert.equal(existsSync(folder), false);
});
