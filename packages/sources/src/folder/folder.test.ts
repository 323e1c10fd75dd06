import assert from "node:assert/strict";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { ownerScope } from "@rungs/contract";
import { documentsManifest } from "@rungs/importers";
import { engines, openTestStore } from "../../../../testing/engines.ts";
import { Random } from "../../../../testing/random.ts";
import { readSize } from "../../../../testing/sizes.ts";
import { runSync } from "../run/run-sync.ts";
import { addSync } from "../run/syncs.ts";
import { createSecretKeeper } from "../secrets/secret-keeper.ts";
import { folder } from "./folder.ts";

const STEPS = readSize("RUNGS_FOLDER_STEPS");
const OWNER = "owner";

/** A folder, and a store that follows it. */
async function open(t: TestContext, engine = "sqlite") {
  const place = mkdtempSync(join(tmpdir(), "rungs-folder-"));
  const root = join(place, "notes");
  mkdirSync(root);
  const { store, close } = await openTestStore(engine);
  t.after(async () => {
    await close();
    rmSync(place, { recursive: true });
  });
  await store.putOwner(OWNER);
  const secrets = createSecretKeeper({ file: join(place, "key") });
  const context = { store, owner_id: OWNER, now: Date.now, secrets, work_folder: place };
  const { sync_id } = await addSync(context, {
    kind: "folder",
    settings: { path: root },
    secret: undefined,
    sync_id: "notes",
  });
  const scope = ownerScope(OWNER, [{ connection_id: sync_id, manifest: documentsManifest() }]);
  return {
    root,
    write(path: string, text: string | Uint8Array) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    sync: () => runSync(context, sync_id),
    /** Every record: its path, its text and its key. */
    async list() {
      const request = { connection_id: sync_id, stream: "documents", limit: 1_000, order: "asc" } as const;
      const { records } = await store.listRecords(scope, request);
      return records
        .map(({ record_id, data }) => ({ path: String(data.path), text: data.text, record_id }))
        .sort((a, b) => (a.path < b.path ? -1 : 1));
    },
  };
}

const paths = (rows: readonly { readonly path: string }[]) => rows.map(({ path }) => path);

for (const engine of Object.keys(engines))
  test(`R76 documents of a folder are read, changed and deleted with their files (${engine})`, async (t) => {
    const { root, write, sync, list } = await open(t, engine);
    write("a.md", "# Rice\nSoak it overnight.");
    write("deep/旅行/b.txt", "Kyoto in May");
    write(".git/config", "[core]");
    write(".obsidian/app.json", "{}");
    assert.equal((await sync()).added, 2);
    assert.deepEqual(paths(await list()), ["a.md", "deep/旅行/b.txt"]);
    write("a.md", "# Rice\nNo soaking.");
    rmSync(join(root, "deep"), { recursive: true });
    const { changed, deleted } = await sync();
    assert.deepEqual([changed, deleted], [1, 1]);
    assert.deepEqual(
      (await list()).map(({ text }) => text),
      ["# Rice\nNo soaking."],
    );
    const idle = await sync();
    assert.deepEqual([idle.added, idle.changed, idle.unchanged, idle.deleted], [0, 0, 0, 0]);
  });

test("R76 a renamed file stays the same record, and so does a copy that replaces it", async (t) => {
  const { root, write, sync, list } = await open(t);
  write("plan.md", "the plan");
  write("empty.txt", " ");
  await sync();
  const [before] = (await list()).filter(({ path }) => path === "plan.md");
  mkdirSync(join(root, "2026"));
  renameSync(join(root, "plan.md"), join(root, "2026/plan B.md"));
  write("plan.md", "another one in the old place");
  await sync();
  const rows = await list();
  assert.deepEqual(paths(rows), ["2026/plan B.md", "empty.txt", "plan.md"]);
  assert.equal(rows[0]?.record_id, before?.record_id);
  assert.notEqual(rows[2]?.record_id, before?.record_id);
  copyFileSync(join(root, "2026/plan B.md"), join(root, "copied.md"));
  rmSync(join(root, "2026"), { recursive: true });
  await sync();
  const [copied] = await list();
  assert.deepEqual([copied?.path, copied?.record_id], ["copied.md", before?.record_id]);
});

test("R76 pictures are kept while a note links to them", async (t) => {
  const { write, sync, list } = await open(t);
  const png = Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1");
  write("photos/roof.png", png);
  write("photos/other.png", png);
  write("note.md", "![[roof.png]]");
  await sync();
  assert.deepEqual(paths(await list()), ["note.md", "photos/roof.png"]);
  await sync();
  assert.deepEqual(paths(await list()), ["note.md", "photos/roof.png"]);
  write("note.md", "no picture");
  await sync();
  assert.deepEqual(paths(await list()), ["note.md"]);
});

test("R76 a missing or empty folder deletes nothing", async (t) => {
  const { root, write, sync, list } = await open(t);
  write("a.md", "a");
  await sync();
  renameSync(root, `${root}-away`);
  const away = await sync();
  assert.deepEqual([away.state, away.failure?.code], ["failed", "source_unreachable"]);
  mkdirSync(root);
  const empty = await sync();
  assert.deepEqual([empty.state, empty.failure?.code], ["failed", "source_broken"]);
  assert.deepEqual(paths(await list()), ["a.md"]);
});

test("R76 waiting ends when a file deep in the folder changes", async (t) => {
  const { root, write } = await open(t);
  write("deep/down/a.md", "a");
  const end = new AbortController();
  t.after(() => end.abort());
  const waited = folder.wait?.(
    { settings: { path: root }, secret: undefined, work_folder: root },
    end.signal,
  );
  // Write more than once, since nothing tells when the watch begins; the folder is quiet in between.
  const writing = setInterval(() => write("deep/down/a.md", "b"), 700);
  await waited?.finally(() => clearInterval(writing));
  assert.equal(end.signal.aborted, false);
});

test("R76 after any history the records are the files", async (t) => {
  const { root, write, sync, list } = await open(t);
  const random = new Random(76);
  const names = ["a.md", "b.txt", "x/c.md", "x/y/d.md", "東京/e 🗼.md"];
  const there = () =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name).slice(root.length + 1))
      .sort();
  const check = async () => {
    if (there().length === 0) write("a.md", "never empty");
    await sync();
    const rows = await list();
    assert.deepEqual(paths(rows), there());
    assert.equal(new Set(rows.map(({ record_id }) => record_id)).size, rows.length);
    for (const { path, text } of rows) assert.equal(text, readFileSync(join(root, path), "utf8"), path);
  };
  for (let step = 0; step < STEPS; step += 1) {
    const name = random.pick(names);
    const other = random.pick(there().concat(""));
    const kind = random.below(5);
    if (kind < 2) write(name, `text ${random.below(4)}`);
    else if (kind === 2 && other !== "") rmSync(join(root, other));
    else if (kind === 3 && other !== "") {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      renameSync(join(root, other), join(root, name));
    } else if (kind === 4) await check();
  }
  await check();
});
