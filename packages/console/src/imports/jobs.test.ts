import assert from "node:assert/strict";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ConsoleContext } from "../context.ts";
import { startImport } from "./jobs.ts";

test("an upload whose import cannot be written down is not left on the disk", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rungs-upload-"));
  const path = join(folder, "mail.mbox");
  writeFileSync(path, "private");
  const store = { putState: () => Promise.reject(new Error("the disk is full")) };
  // Nothing else of the parts is touched before the job is written down.
  const context = { store, owner_id: "owner", now: Date.now } as unknown as ConsoleContext;
  const importFile = () => Promise.reject(new Error("must not begin"));
  await assert.rejects(startImport(context, importFile, { path, name: "mail.mbox", label: undefined }));
  assert.equal(existsSync(folder), false);
});
