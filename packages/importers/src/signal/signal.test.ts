import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { ImportedItem } from "@rungs/contract";
import { sortFiles } from "../detect/sort-files.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { importers } from "../importers.ts";
import { matches, readAll } from "../read-all.test.ts";
import { signal } from "./signal.ts";

const PICTURE = Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1");
const key = Buffer.alloc(64, 7);
const hash = createHash("sha256").update(PICTURE).digest();
const stem = createHash("sha256")
  .update(Buffer.concat([hash, key]))
  .digest("hex");

const frames = [
  { version: 1, backupTimeMs: "1700000000000" },
  { account: { givenName: "Ann" } },
  { recipient: { id: "1", self: {} } },
  {
    recipient: { id: "2", contact: { e164: "15550001111", systemGivenName: "Ben", systemFamilyName: "Ode" } },
  },
  { recipient: { id: "3", group: { masterKey: "AA==", snapshot: { title: { title: "Crew" } } } } },
  { chat: { id: "10", recipientId: "2" } },
  { chat: { id: "11", recipientId: "3" } },
  {
    chatItem: {
      chatId: "10",
      authorId: "2",
      dateSent: "1700000000000",
      incoming: { dateReceived: "1700000000100", read: true },
      standardMessage: { text: { body: "Is the paint dry?" }, reactions: [{ emoji: "👍", authorId: "1" }] },
    },
  },
  {
    chatItem: {
      chatId: "11",
      authorId: "1",
      dateSent: "1700000001000",
      outgoing: {},
      standardMessage: {
        quote: { text: { body: "Where is it?" }, authorId: "2" },
        linkPreview: [{ url: "https://rope.example/" }],
        attachments: [
          {
            pointer: {
              contentType: "image/png",
              locatorInfo: {
                plaintextHash: hash.toString("base64"),
                localKey: key.toString("base64"),
                size: 12,
              },
            },
          },
        ],
      },
    },
  },
  { chatItem: { chatId: "10", authorId: "2", dateSent: "1700000002000", remoteDeletedMessage: {} } },
  {
    chatItem: {
      chatId: "10",
      authorId: "2",
      dateSent: "1700000003000",
      updateMessage: { individualCall: { type: "AUDIO_CALL" } },
    },
  },
  {
    chatItem: {
      chatId: "10",
      authorId: "2",
      dateSent: "1700000004000",
      updateMessage: { simpleUpdate: { type: "IDENTITY_UPDATE" } },
    },
  },
];
const lines = frames.map((frame) => JSON.stringify(frame)).join("\n");
const plaintext = {
  "signal-export/main.jsonl": lines,
  "signal-export/metadata.json": "{}",
  [`signal-export/files/${stem.slice(0, 2)}/${stem}.png`]: PICTURE,
};

const sigexport = {
  "Crew/data.json": [
    {
      date: "2024-01-01T10:00:00",
      sender: "Ben",
      body: "hello  ",
      quote: "",
      sticker: null,
      reactions: [["Me", "👍"]],
      attachments: [{ name: "a b.png", path: "media/a%20b.png" }],
    },
    {
      date: "2024-01-01T10:01:00+01:00",
      sender: "Me",
      body: "hi",
      quote: "\n\n> hello\n\n",
      sticker: null,
      reactions: [],
      attachments: [],
    },
  ]
    .map((line) => JSON.stringify(line))
    .join("\n"),
  "Crew/chat.md": "[2024-01-01 10:00:00] Ben: hello\n",
  "Crew/index.html": "<html></html>",
  "Crew/media/a b.png": PICTURE,
};

test("Signal's own export gives people by name, answers, reactions, notices and files", async () => {
  assert.ok(await matches(signal, createMemoryFiles("x", plaintext)));
  const { stream, rejected } = await readAll(signal, plaintext);
  assert.deepEqual(rejected, []);
  assert.deepEqual(
    [...stream("chats").values()].map(({ id, name, kind, phone }) => [id, name, kind, phone]),
    [
      ["10", "Ben Ode", "direct", "+15550001111"],
      ["11", "Crew", "group", undefined],
    ],
  );
  assert.deepEqual(
    [...stream("messages").values()].map(({ chat, sender, sent_at, text, kind, is_own }) => [
      chat,
      sender,
      sent_at,
      text,
      kind,
      is_own,
    ]),
    [
      ["Ben Ode", "Ben Ode", "2023-11-14T22:13:20.000Z", "Is the paint dry?", "message", false],
      ["Crew", "Me", "2023-11-14T22:13:21.000Z", undefined, "message", true],
      ["Ben Ode", "Ben Ode", "2023-11-14T22:13:22.000Z", "(deleted)", "message", false],
      ["Ben Ode", "Ben Ode", "2023-11-14T22:13:23.000Z", "individual call", "call", false],
      ["Ben Ode", "Ben Ode", "2023-11-14T22:13:24.000Z", "identity update", "system", false],
    ],
  );
  const [first, second] = [...stream("messages").values()];
  assert.deepEqual(first?.reactions, [{ emoji: "👍", sender: "Me" }]);
  assert.deepEqual([second?.quote, second?.links], ["Where is it?", ["https://rope.example/"]]);
  const [picture] = [...stream("attachments").values()];
  assert.deepEqual([picture?.name, picture?.file !== undefined], ["attachment-1.png", true]);
});

test("the folders of signal-export are read once, not as documents too", async () => {
  const { groups, left_out, close } = await sortFiles(createMemoryFiles("export", sigexport), importers);
  assert.deepEqual([groups.map(({ importer }) => importer.id), left_out], [["signal"], []]);
  await close();
  const { stream, notes } = await readAll(signal, sigexport);
  assert.deepEqual(
    [...stream("messages").values()].map(({ chat, sender, sent_at, text, quote }) => [
      chat,
      sender,
      sent_at,
      text,
      quote,
    ]),
    [
      ["Crew", "Ben", "2024-01-01T10:00:00.000Z", "hello", undefined],
      ["Crew", "Me", "2024-01-01T09:01:00.000Z", "hi", "hello"],
    ],
  );
  assert.ok([...stream("attachments").values()][0]?.file, "the picture was found");
  assert.match(notes.join(), /read as UTC/);
});

test("both forms resume after every checkpoint, and broken lines are rejected by their place", async () => {
  const contents = {
    ...plaintext,
    ...sigexport,
    "signal-export/main.jsonl": `${lines}\n{"chatItem":{}}\n{"chatItem":`,
  };
  const { items, rejected } = await readAll(signal, contents);
  assert.deepEqual(
    rejected.map(({ place, reason }) => [place, reason]),
    [
      ["signal-export/main.jsonl, frame in line 13", "Not a message: it has no chat or no time."],
      ["signal-export/main.jsonl, frame in line 14", "The line is not JSON."],
    ],
  );
  const withoutChats = (list: readonly ImportedItem[]) =>
    list.filter((item) => item.kind !== "record" || item.stream !== "chats");
  for (const [at, { checkpoint }] of items.entries()) {
    if (checkpoint === undefined) continue;
    const rest = await readAll(signal, contents, checkpoint);
    assert.deepEqual(withoutChats(rest.items), withoutChats(items.slice(at + 1)), checkpoint);
  }
});

test("an encrypted backup is left out, with instructions for a readable one", async () => {
  const backup = Buffer.concat([Buffer.from([0, 0, 0, 0x3a, 0x0a, 0x36, 0x0a, 0x10]), Buffer.alloc(64, 3)]);
  const { groups, left_out } = await sortFiles(
    createMemoryFiles("x", { "signal-2024-01-01-10-00-00.backup": backup }),
    importers,
  );
  assert.equal(groups.length, 0);
  assert.match(left_out[0]!.reason, /encrypted backup of Signal.*export/i);
});
