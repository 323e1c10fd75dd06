import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { receiveUpload } from "./receive-upload.ts";

function upload(entries: readonly (readonly [string, string | File])[]) {
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  const raw = new Request("http://localhost/console/import", { method: "POST", body: form });
  return receiveUpload({ raw, csrf_token: "token" });
}

const FILE = ["file", new File(["text"], "../a.mbox")] as const;

test("an upload is written under its name, in its own folder", async (t) => {
  const { path, folder, name, label } = await upload([["form_token", "token"], ["label", " Mail "], FILE]);
  t.after(() => rmSync(folder, { recursive: true }));
  assert.deepEqual([name, label, readFileSync(path, "utf8")], ["a.mbox", "Mail", "text"]);
});

test("several files share a folder, with the subfolders in their names, and nothing escapes it", async (t) => {
  const files = ["dir/a.txt", "dir/a.txt", "../../b.txt", "/etc/.c"].map(
    (name) => ["file", new File(["x"], name)] as const,
  );
  const { path, folder, name, is_look, format } = await upload([
    ["form_token", "token"],
    ["look", "yes"],
    ["format", "mail"],
    ["file", new File([], "")],
    ...files,
  ]);
  t.after(() => rmSync(folder, { recursive: true }));
  assert.deepEqual([path, name, is_look, format], [join(folder, "upload"), "a.txt and 3 more", true, "mail"]);
  const found = readdirSync(path, { recursive: true }).map(String).sort();
  assert.deepEqual(found, ["b.txt", "dir", "dir/1-a.txt", "dir/a.txt", "etc", "etc/_c"]);
});

test("files of a dropped folder keep its name, after which their connection is named", async (t) => {
  const files = ["Mail/a.eml", "Mail/old/b.eml"].map((name) => ["file", new File(["x"], name)] as const);
  const { path, folder } = await upload([["form_token", "token"], ...files]);
  t.after(() => rmSync(folder, { recursive: true }));
  assert.equal(path, join(folder, "upload", "Mail"));
});

test("an upload without the CSRF token, with too many fields or without a file is refused", async () => {
  const fields = (count: number) => Array.from({ length: count }, (_, at) => [`field${at}`, ""] as const);
  await assert.rejects(upload([FILE, ["form_token", "token"]]), { code: "origin_not_allowed" });
  await assert.rejects(upload([["form_token", "token"], ...fields(16), FILE]), { code: "invalid_request" });
  await assert.rejects(upload([["form_token", "token"]]), { code: "invalid_request" });
});
