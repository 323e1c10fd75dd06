import assert from "node:assert/strict";
import { test } from "node:test";
import { makeLinkedInExport } from "../../../testing/files/linkedin.ts";
import { makeMessagesDatabase } from "../../../testing/files/messages-db.ts";
import { makeDownloadedNotes, makeNoteStore } from "../../../testing/files/note-store.ts";
import { makeNotionExport, makeNotionPages } from "../../../testing/files/notion.ts";
import { makeEpub, makePptx, makeShape } from "../../../testing/files/office.ts";
import { makeDoc, makeMsg } from "../../../testing/files/ole.ts";
import { makeTwitterArchive } from "../../../testing/files/twitter.ts";
import { makeXlsx, xlsxRow } from "../../../testing/files/workbook.ts";
import { createMemoryFiles } from "./files/memory-files.ts";
import { detectFormats, importers, requireImporter } from "./importers.ts";

const node = { id: "n", parent: null, children: [], message: null };
const conversation = { title: "t", create_time: 1.7e9, current_node: "n", mapping: { n: node } };
const claude = { uuid: "u", name: "n", created_at: "2026-01-01T00:00:00Z", chat_messages: [] };
const telegram = {
  name: "n",
  type: "personal_chat",
  id: 1,
  messages: [{ id: 1, type: "message", date: "2026-01-01T00:00:00", text: "" }],
};
const mail =
  "Message-ID: <1@example.org>\nFrom: a@example.org\nTo: b@example.org\nSubject: s\nDate: Thu, 1 Jan 2026 00:00:00 +0000\n\nbody\n";

const metaThread = {
  participants: [{ name: "Ann" }],
  messages: [{ sender_name: "Ann", timestamp_ms: 1704067200000, content: "hi" }],
  thread_path: "inbox/ann_1",
};
const discordChannel = {
  guild: { id: "0", name: "Direct Messages" },
  channel: { id: "1", name: "ann" },
  messages: [],
};
const keepNote = {
  title: "t",
  isTrashed: false,
  userEditedTimestampUsec: 1704067200000000,
  textContent: "x",
};
const activityPage =
  '<html><head><title>My Activity History</title></head><body><div class="outer-cell mdl-cell"><div class="content-cell mdl-cell mdl-typography--body-1">Used Maps<br>Jan 31, 2018, 10:54:50 PM</div></div></body></html>';

/** The smallest sample of each format; file names must not matter. */
const samples: readonly (readonly [
  format: string,
  contents: Readonly<Record<string, string | Uint8Array>>,
])[] = [
  ["chatgpt", { "conversations.json": JSON.stringify([conversation]) }],
  ["claude", { "conversations.json": JSON.stringify([claude]) }],
  [
    "slack",
    {
      "channels.json": JSON.stringify([{ id: "C1", name: "general", members: [] }]),
      "users.json": JSON.stringify([{ id: "U1", name: "ann" }]),
      "general/2026-01-01.json": JSON.stringify([{ type: "message", user: "U1", text: "hi", ts: "1.1" }]),
    },
  ],
  ["telegram", { x: JSON.stringify(telegram) }],
  ["google", { "Takeout/Keep/a.json": JSON.stringify(keepNote) }],
  ["google", { "a.html": activityPage }],
  ["meta", { x: JSON.stringify(metaThread) }],
  ["twitter", { x: makeTwitterArchive()["data/like.js"]! }],
  ["twitter", makeTwitterArchive()],
  ["linkedin", { x: makeLinkedInExport()["messages.csv"]! }],
  ["linkedin", { x: makeLinkedInExport()["Connections.csv"]! }],
  ["discord", { x: JSON.stringify(discordChannel) }],
  [
    "discord",
    { "messages/c1/messages.csv": "ID,Timestamp,Contents,Attachments\n1,2020-05-05 10:00:00,hi,\n" },
  ],
  ["signal", { "main.jsonl": '{"version":1}\n{"recipient":{"id":"1","self":{}}}\n' }],
  ["imessage", { x: makeMessagesDatabase() }],
  ["whatsapp", { x: "[01.02.26, 10:00:00] Ann: hi\n[01.02.26, 10:01:00] Ben: ho\n" }],
  ["mail", { x: `From a@example.org Thu Jan  1 00:00:00 2026\n${mail}\n` }],
  ["mail", { x: mail }],
  ["mail", { x: makeMsg({ properties: { "0037001F": "s" } }) }],
  ["mail", { x: "!BDN\0\0" }],
  ["mail", { "cur/1:2,S": mail, "new/2": mail }],
  [
    "calendar",
    { x: "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n" },
  ],
  ["contacts", { x: "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\nEND:VCARD\r\n" }],
  ["notion", makeNotionExport()],
  ["notion", makeNotionPages()],
  ["apple-notes", { x: makeNoteStore() }],
  ["apple-notes", makeDownloadedNotes()],
  ["evernote", { x: '<?xml version="1.0"?><en-export><note><title>t</title></note></en-export>' }],
  [
    "browser",
    { x: '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><A HREF="https://a.example/">A</A></DL>' },
  ],
  ["browser", { x: '{"checksum":"0a","roots":{"other":{"type":"folder","children":[]}}}' }],
  ["browser", { x: '{"Browser History":[{"title":"A","url":"https://a.example/","time_usec":1}]}' }],
  ["table", { x: "id,name\n1,ann\n2,ben\n" }],
  ["table", { x: '{"id":1}\n{"id":2}\n' }],
  ["table", { x: '[{"id":1},{"id":2}]' }],
  ["table", { x: makeXlsx([{ name: "S", rows: xlsxRow(["id", "name"]) + xlsxRow([1, "ann"]) }]) }],
  ["documents", { "a.md": "# Title\n\nSome words, and more.\n" }],
  ["documents", { x: makePptx([{ shapes: makeShape(["Plan"]) }]) }],
  ["documents", { x: makeEpub(["<p>Words</p>"], "") }],
  ["documents", { x: makeDoc("Words") }],
  ["documents", { x: "{\\rtf1 Words}" }],
  ["documents", { x: "<!doctype html><html><body><p>Words</p></body></html>" }],
];

test("each format is detected by its content, and not mistaken for another", async () => {
  for (const [format, contents] of samples) {
    const { groups, left_out } = await detectFormats(createMemoryFiles("x", contents));
    const found = groups.map(({ importer }) => importer.id);
    assert.deepEqual([found, left_out], [[format], []], JSON.stringify(contents).slice(0, 80));
  }
  assert.deepEqual(new Set(samples.map(([format]) => format)), new Set(importers.map(({ id }) => id)));
});

test("an unknown format is refused with the list of formats, in files and in --as", async () => {
  const noise = createMemoryFiles("noise.bin", { x: new Uint8Array(2000).map((_, at) => (at * 73) % 256) });
  const formats = importers.map(({ id }) => id);
  const check = (error: { code: string; details: { formats: string[] } }) => {
    assert.equal(error.code, "unknown_format");
    assert.deepEqual(error.details.formats, formats);
    return true;
  };
  await assert.rejects(detectFormats(noise), check);
  await assert.rejects(detectFormats(createMemoryFiles("empty", {})), check);
  assert.throws(() => requireImporter("nothing"), check);
  assert.equal(requireImporter("table").id, "table");
});
