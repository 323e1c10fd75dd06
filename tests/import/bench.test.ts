/** The exports of the benchmark at a small scale, to prove that it measures complete imports. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ensureOwner, importItems, putConnection } from "@rungs/server";
import { openSqlite } from "@rungs/store/sqlite";
import { planImports } from "rungs/internal/import-plan";
import { withReader } from "rungs/internal/import-run";
import { benchFormat } from "../../bench/import.ts";
import { type ImportFormat, importFormats } from "../../bench/import-formats.ts";

const BYTES = 30_000;

const folder = mkdtempSync(join(tmpdir(), "rungs-bench-test-"));
const store = await openSqlite(join(folder, "rungs.db"));
const owner_id = await ensureOwner(store);
after(async () => {
  await store?.close();
  rmSync(folder, { recursive: true });
});

/** The items of a small export, read once, and stored. */
async function importSmall({ name, write }: ImportFormat) {
  const path = join(folder, name);
  write(path, BYTES);
  const options = { format: undefined, connection_id: name, label: undefined, manifest: undefined };
  const { plans, close } = await planImports(path, options);
  const plan = plans[0]!;
  const nothing = () => undefined;
  const source = {
    note: nothing,
    onItem: nothing,
    putBlob: async (bytes: AsyncIterable<Uint8Array>, mime_type: string) => ({
      ...(await store.putBlob(owner_id, name, bytes, mime_type)),
    }),
  };
  const items = await withReader(plan, source, (read) => Array.fromAsync(read(undefined)));
  await close();
  const parts = { store, owner_id, now: Date.now };
  await putConnection(parts, name, plan.manifest, undefined);
  const target = { ...parts, connection_id: name, identity: name };
  const { tally } = await importItems(async function* () {
    yield* items;
  }, target);
  return { plan, items, tally };
}

/** The streams that each export fills. */
const STREAMS: Readonly<Record<string, readonly string[]>> = {
  "mail.mbox": ["attachments", "messages"],
  "attached.mbox": ["attachments", "messages"],
  eml: ["messages"],
  maildir: ["messages"],
  "chatgpt.zip": ["attachments", "conversations", "messages"],
  chatgpt: ["attachments", "conversations", "messages"],
  "claude.zip": ["attachments", "conversations", "documents", "messages", "projects"],
  "slack.zip": ["channels", "messages", "users"],
  "_chat.txt": ["chats", "messages"],
  "result.json": ["chats", "messages"],
  "tweets.js": ["posts"],
  "messages.csv": ["chats", "messages"],
  "message_1.json": ["chats", "messages"],
  "discord.zip": ["chats", "messages"],
  "main.jsonl": ["chats", "messages"],
  "MyActivity.json": ["activity"],
  "BrowserHistory.json": ["visits"],
  "notion.zip": ["pages"],
  "notes.enex": ["notes"],
  "NoteStore.sqlite": ["notes"],
  "chat.db": ["chats", "messages"],
  "outlook.pst": ["messages"],
  msg: ["messages"],
  "table.xlsx": ["rows"],
  "table.ods": ["rows"],
  documents: ["documents"],
  "calendar.ics": ["events"],
  "contacts.vcf": ["contacts"],
  "table.csv": ["rows"],
  "table.jsonl": ["rows"],
  "table.json": ["rows"],
};

/** Streams whose records all have text, extracted from documents. */
const TEXTS = new Set(["attachments", "documents"]);

for (const format of importFormats) {
  test(`${format.label}: the export of the benchmark is detected, read and stored completely`, async () => {
    const { plan, items, tally } = await importSmall(format);
    assert.equal(plan.importer.id, format.importer);
    assert.deepEqual([tally.added, tally.rejected], [items.length, 0]);
    const records = items.filter((item) => item.kind === "record");
    assert.deepEqual([...new Set(records.map(({ stream }) => stream))].sort(), STREAMS[format.name]);
    const textless = records.filter(({ stream, data: { text } }) => TEXTS.has(stream) && !text);
    assert.deepEqual(textless, []);
  });
}

test("each measurement has a row of size, rates, memory and ratio to the parser", async () => {
  const format = importFormats.find(({ name }) => name === "table.jsonl")!;
  const rows = await benchFormat(format, BYTES, 1);
  assert.deepEqual(
    rows.map(([label, way]) => [label, way]),
    ["parser", "SQLite", "PostgreSQL"].map((way) => ["JSON lines", way]),
  );
  for (const [, , megabytes, records, ...rest] of rows) {
    assert.deepEqual([megabytes, records], [rows[0]![2], rows[0]![3]]);
    assert.match(rest.join(" | "), /^\d+\.\d \| \d+ \| \d+ MiB \| {2}\| [\d.]+× \| $/);
  }
});

test("an export with rejected items is not measured", async () => {
  const write = (path: string) => writeFileSync(path, '{"id":1}\n{"id":2}\n{"id":\n{"id":4}\n');
  const format = { label: "broken", name: "broken.jsonl", importer: "table", write };
  await assert.rejects(benchFormat(format, BYTES, 1), /broken\.jsonl: 1 items were rejected/);
});
