import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Files } from "../files/files.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { createStreamedFile, matches as matchesFiles, readAll } from "../read-all.test.ts";
import { telegram } from "./telegram.ts";

const chat = {
  name: "Boat club",
  type: "private_group",
  id: 4321,
  messages: [
    {
      id: 1,
      type: "service",
      date: "2024-05-01T10:00:00",
      date_unixtime: "1714550400",
      actor: "Ada",
      actor_id: "user1",
      action: "create_group",
      title: "Boat club",
      members: ["Bob", null, "Eve"],
      text: "",
      text_entities: [],
    },
    {
      id: 2,
      type: "message",
      date: "2024-05-01T10:01:00",
      date_unixtime: "1714550460",
      edited_unixtime: "1714550500",
      from: "Bob",
      from_id: "user2",
      reply_to_message_id: 1,
      forwarded_from: "Harbour news",
      text: [
        "The ",
        { type: "bold", text: "mast" },
        " is ",
        { type: "text_link", text: "here", href: "https://example.com/mast" },
      ],
      text_entities: [],
      reactions: [{ type: "emoji", count: 3, emoji: "👍" }],
    },
    {
      id: 3,
      type: "message",
      date: "2024-05-01T10:02:00",
      date_unixtime: "1714550520",
      from: null,
      from_id: "user9",
      file: "files/rules.txt",
      file_name: "rules.txt",
      mime_type: "text/plain",
      file_size: 99,
      text: "",
      text_entities: [{ type: "plain", text: "from entities" }],
    },
    {
      id: 4,
      type: "message",
      date_unixtime: "1714550580",
      from: "Eve",
      photo: "(File not included. Change data exporting settings to download.)",
      photo_file_size: 500,
      text: "",
      poll: { question: "Sail on Sunday?", answers: [{ text: "Yes", voters: 2 }, { text: "No" }] },
      location_information: { latitude: 54.5, longitude: 10.2 },
    },
  ],
};

const account = {
  about: "Here is the data you requested. Remember: Telegram is ad free.",
  personal_information: { first_name: "Ada", messages: [{ id: 7 }], id: 1, name: "not a chat" },
  contacts: { about: "x", list: [{ first_name: "Bob" }] },
  chats: {
    about: "This page lists all chats.",
    list: [
      { name: null, type: "personal_chat", id: 10, messages: [] },
      chat,
      {
        type: "saved_messages",
        id: 11,
        messages: [
          {
            id: 1,
            type: "message",
            date: "2020-01-29T11:41:46",
            edited: "1970-01-01T01:00:00",
            from: "Ada",
            from_id: 123,
            text: "remember",
          },
        ],
      },
    ],
  },
  left_chats: {
    about: "",
    list: [
      { name: "Old", type: "public_channel", id: 12, messages: [{ id: 1, date_unixtime: "1", text: "bye" }] },
    ],
  },
};

const one = {
  "ChatExport/result.json": JSON.stringify(chat, undefined, 1),
  "ChatExport/files/rules.txt": "No running on deck.",
};
const all = { "result.json": JSON.stringify(account) };

test("an export is detected by its content, of one chat and of an account", async () => {
  const matches = (files: Record<string, string>) =>
    matchesFiles(telegram, createMemoryFiles("export", files));
  assert.equal(await matches(one), true);
  assert.equal(await matches(all), true);
  assert.equal(await matches({ renamed: JSON.stringify(chat) }), true);
  assert.equal(await matches({ "result.json": '{"messages":[],"type":"report"}' }), false);
  assert.equal(await matches({ "result.json": "[]" }), false);
});

test("files without an export are refused", async () => {
  await assert.rejects(readAll(telegram, { "a/b/result.json": "{}", "x.txt": "" }), {
    code: "unknown_format",
  });
});

test("text is assembled from strings and pieces, and from descriptions of non-text content", async () => {
  const { stream, rejected } = await readAll(telegram, one);
  assert.deepEqual(rejected, []);
  assert.deepEqual(
    [...stream("messages").values()].map(({ text, sender }) => [text, sender]),
    [
      ["create group: Boat club, Bob, Eve", "Ada"],
      ["The mast is here (https://example.com/mast)", "Bob"],
      ["from entities", "user9"],
      ["Sail on Sunday?\n• Yes\n• No", "Eve"],
    ],
  );
  assert.deepEqual(stream("messages").get("4321~2"), {
    id: "4321~2",
    chat_id: "4321",
    chat: "Boat club",
    sender: "Bob",
    sender_id: "user2",
    sent_at: "2024-05-01T08:01:00.000Z",
    edited_at: "2024-05-01T08:01:40.000Z",
    text: "The mast is here (https://example.com/mast)",
    kind: "message",
    reply_to_id: "4321~1",
    forwarded_from: "Harbour news",
    reactions: [{ emoji: "👍", count: 3 }],
  });
});

test("files are attachments: with content if the export has it, else with their description", async () => {
  const { stream } = await readAll(telegram, one);
  assert.deepEqual(
    [...stream("attachments").values()].map(({ id, name, text, size_bytes, file }) => [
      id,
      name,
      text,
      size_bytes,
      !!file,
    ]),
    [
      ["4321~3~file", "rules.txt", "No running on deck.", 19, true],
      ["4321~4~photo", "photo", undefined, 500, false],
    ],
  );
});

test("the chats of an account are separate, including former ones and empty ones", async () => {
  const { stream, notes } = await readAll(telegram, all);
  assert.deepEqual(
    [...stream("chats").values()].map(({ id, name, kind }) => [id, name, kind]),
    [
      ["10", undefined, "personal_chat"],
      ["4321", "Boat club", "private_group"],
      ["11", "Saved messages", "saved_messages"],
      ["12", "Old", "public_channel"],
    ],
  );
  assert.equal(stream("messages").size, 6);
  assert.deepEqual(
    [stream("messages").get("11~1")?.sent_at, stream("messages").get("11~1")?.edited_at],
    ["2020-01-29T11:41:46.000Z", undefined],
  );
  assert.deepEqual(notes, ["Some messages have only a local time without a zone; it was read as UTC."]);
});

test("a broken message is rejected with its place, and the rest is read", async () => {
  const text =
    '{"name":"A","type":"personal_chat","id":1,"messages":[{"id":1,"text":"a"},{"id":tru},{"text":"b"},{"id":3}';
  const { rejected, stream } = await readAll(telegram, { "result.json": text });
  assert.deepEqual([...stream("messages").keys()], ["1~1", "1~3"]);
  assert.deepEqual(
    rejected.map(({ place }) => place),
    [
      "result.json, message 2 at byte 74",
      "result.json, message 3 at byte 85",
      "result.json, message 4 at byte 106",
    ],
  );
});

test("reading resumes after any checkpoint and gives the rest of the items", async () => {
  const { items } = await readAll(telegram, all);
  const ends = items.flatMap(({ checkpoint }, at) => (checkpoint === undefined ? [] : [at]));
  assert.equal(ends.length, 6);
  for (const at of ends) {
    assert.deepEqual((await readAll(telegram, all, items[at]!.checkpoint)).items, items.slice(at + 1));
  }
});

test("a large export is streamed, not buffered", async () => {
  const count = 20_000;
  let read = 0;
  let most = 0;
  const before = measureHeld();
  for await (const item of telegram.read({
    files: largeFiles(count),
    putBlob: () => Promise.reject(new Error("there are no files")),
    extractText: () => Promise.reject(new Error("there are no files")),
    note: () => undefined,
  })) {
    if (item.kind === "record") read += 1;
    if (read % 4096 === 0) most = Math.max(most, measureHeld() - before);
  }
  assert.equal(read, count + 1);
  assert.ok(most < (count * MESSAGE_BYTES) / 8, `${most} bytes were held of ${count * MESSAGE_BYTES}`);
});

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function measureHeld(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const MESSAGE_BYTES = 4096;

/** A chat of many messages, generated on the fly. */
function largeFiles(count: number): Files {
  const filling = "words ".repeat(MESSAGE_BYTES / 6);
  async function* open(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{"name":"Large","type":"personal_chat","id":5,"messages":[');
    for (let id = 0; id < count; id += 1) {
      yield Buffer.from(
        `${id === 0 ? "" : ","}{"id":${id},"date_unixtime":"1714550400","text":"${filling}"}`,
      );
    }
    yield Buffer.from("]}");
  }
  const entry = createStreamedFile("result.json", open);
  return {
    name: "result.json",
    async *list() {
      yield entry;
    },
    find: async () => undefined,
    refused: [],
    listUnread: () => [],
    progress: { read_bytes: 0, total_bytes: 0 },
    close: async () => undefined,
  };
}
