import assert from "node:assert/strict";
import { test } from "node:test";
import type { ImportedItem } from "@rungs/contract";
import { createMemoryFiles } from "../files/memory-files.ts";
import { matches, readAll } from "../read-all.test.ts";
import { discord } from "./discord.ts";

const CHANNEL = "1012345678901234567";
const MESSAGE = "1112345678901234567";
const PICTURE = Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1");

/** Discord writes ids as numbers that JavaScript would round. */
const messages = `[{"ID": ${MESSAGE}, "Timestamp": "2023-01-01 10:00:00", "Contents": "Ahoy 👋", "Attachments": ""},
 {"ID": 1112345678901234568, "Timestamp": "2023-01-01 10:00:01", "Contents": "", "Attachments": "https://cdn.discordapp.com/attachments/1/2/a%20b.png?ex=1 https://cdn.discordapp.com/attachments/1/2/c.txt"}]`;
const rows = `ID,Timestamp,Contents,Attachments\n${MESSAGE},2020-05-05 10:00:00.123000+00:00,"two\nlines, ""quoted""",\n`;

const dataPackage = {
  "account/user.json": JSON.stringify({
    id: "9012345678901234567",
    username: "ann",
    global_name: "Ann",
    discriminator: "0",
  }),
  "messages/index.json": JSON.stringify({ [CHANNEL]: "general in Ships", "1012345678901234568": null }),
  [`messages/c${CHANNEL}/channel.json`]: JSON.stringify({
    id: CHANNEL,
    type: 0,
    name: "general",
    guild: { id: "2", name: "Ships" },
  }),
  [`messages/c${CHANNEL}/messages.json`]: messages,
  "messages/c1012345678901234568/channel.json": JSON.stringify({
    id: "1012345678901234568",
    type: "DM",
    recipients: ["1", "2"],
  }),
  "messages/c1012345678901234568/messages.csv": rows,
  "servers/index.json": JSON.stringify({ "2012345678901234567": "Ships" }),
  "activity/analytics/events-2024.json": '{"event_type":"x"}\n{"event_type":"y"}\n',
};

const exported = {
  guild: { id: "2", name: "Ships", iconUrl: "" },
  channel: { id: CHANNEL, type: "GuildTextChat", category: "x", name: "general", topic: "Ropes" },
  dateRange: { after: null, before: null },
  exportedAt: "2024-01-01T00:00:00+00:00",
  messages: [
    {
      id: MESSAGE,
      type: "Default",
      timestamp: "2023-01-01T10:00:00.5+00:00",
      timestampEdited: "2023-01-01T10:05:00+00:00",
      isPinned: true,
      content: "Who has rope?",
      author: { id: "1", name: "ben", discriminator: "0000", nickname: "Ben", isBot: false },
      attachments: [
        { id: "5", url: "general.json_Files/a.png", fileName: "a.png", fileSizeBytes: 12 },
        { id: "6", url: "https://cdn.discordapp.com/b.png?ex=secret", fileName: "b.png", fileSizeBytes: 9 },
      ],
      embeds: [
        {
          title: "Rope",
          url: "https://rope.example/",
          description: "Blue",
          fields: [{ name: "Size", value: "12" }],
        },
      ],
      stickers: [],
      reactions: [{ emoji: { id: "", name: "👍", code: "thumbsup" }, count: 2 }],
      mentions: [],
    },
    {
      id: "1112345678901234569",
      type: "Reply",
      timestamp: "2023-01-01T10:01:00+00:00",
      content: "Me",
      author: { id: "2", name: "cid" },
      reference: { messageId: MESSAGE, channelId: CHANNEL, guildId: "2" },
    },
    {
      id: "1112345678901234570",
      type: "RecipientAdd",
      timestamp: "2023-01-01T10:02:00+00:00",
      content: "Added dan.",
      author: { name: "cid" },
    },
  ],
  messageCount: 3,
};

test("a data package gives the owner's messages with exact ids, in JSON and in the older CSV", async () => {
  for (const folder of ["", "package/"]) {
    const contents = Object.fromEntries(
      Object.entries(dataPackage).map(([path, content]) => [folder + path, content]),
    );
    assert.ok(await matches(discord, createMemoryFiles("package", contents)));
    const { stream, rejected } = await readAll(discord, contents);
    assert.deepEqual(rejected, []);
    assert.deepEqual(
      [...stream("messages").values()].map(({ id, chat, sender, sent_at, text, is_own }) => [
        id,
        chat,
        sender,
        sent_at,
        text,
        is_own,
      ]),
      [
        [`${CHANNEL}~${MESSAGE}`, "general in Ships", "Ann", "2023-01-01T10:00:00.000Z", "Ahoy 👋", true],
        [
          `${CHANNEL}~1112345678901234568`,
          "general in Ships",
          "Ann",
          "2023-01-01T10:00:01.000Z",
          undefined,
          true,
        ],
        [
          `1012345678901234568~${MESSAGE}`,
          undefined,
          "Ann",
          "2020-05-05T10:00:00.123Z",
          'two\nlines, "quoted"',
          true,
        ],
      ],
    );
    assert.deepEqual(
      [...stream("chats").values()].map(({ name, kind, server }) => [name, kind, server]),
      [
        ["general in Ships", "channel", "Ships"],
        [undefined, "dm", undefined],
      ],
    );
    assert.deepEqual(
      [...stream("attachments").values()].map(({ name, url }) => [name, url]),
      [
        ["a%20b.png", "https://cdn.discordapp.com/attachments/1/2/a%20b.png"],
        ["c.txt", "https://cdn.discordapp.com/attachments/1/2/c.txt"],
      ],
    );
  }
});

test("a file of DiscordChatExporter gives everybody's messages, answers, reactions and downloaded files", async () => {
  const files = createMemoryFiles("x", {
    "general.json": JSON.stringify(exported),
    "general.json_Files/a.png": PICTURE,
  });
  assert.ok(await matches(discord, files));
  const { stream, rejected } = await readAll(discord, files);
  assert.deepEqual(rejected, []);
  const [question, answer, notice] = [...stream("messages").values()];
  assert.deepEqual(
    [
      question?.sender,
      question?.text,
      question?.sent_at,
      question?.is_pinned,
      question?.reactions,
      question?.links,
    ],
    [
      "Ben",
      "Who has rope?\nRope\nBlue\nSize: 12",
      "2023-01-01T10:00:00.500Z",
      true,
      [{ emoji: "👍", count: 2 }],
      ["https://rope.example/"],
    ],
  );
  assert.deepEqual(
    [answer?.reply_to_id, answer?.sender, answer?.kind],
    [`${CHANNEL}~${MESSAGE}`, "cid", "message"],
  );
  assert.equal(notice?.kind, "system");
  assert.deepEqual(
    [...stream("attachments").values()].map(({ name, url, file }) => [name, url, file !== undefined]),
    [
      ["a.png", undefined, true],
      ["b.png", "https://cdn.discordapp.com/b.png", false],
    ],
  );
});

test("both forms resume after every checkpoint, and broken messages are rejected by their place", async () => {
  const contents = {
    ...dataPackage,
    [`messages/c${CHANNEL}/messages.json`]: messages.replace("[", '[{"Contents":"no id"},'),
    "general.json": JSON.stringify({
      ...exported,
      channel: { ...exported.channel, id: "3" },
      messages: [7, ...exported.messages],
    }),
  };
  const { items, rejected } = await readAll(discord, contents);
  assert.deepEqual(
    rejected.map(({ reason }) => reason),
    ["Not a message: it has no id.", "Not a message: it has no ID."],
  );
  const withoutChats = (list: readonly ImportedItem[]) =>
    list.filter((item) => item.kind !== "record" || item.stream !== "chats");
  for (const [at, { checkpoint }] of items.entries()) {
    if (checkpoint === undefined) continue;
    const rest = await readAll(discord, contents, checkpoint);
    assert.deepEqual(withoutChats(rest.items), withoutChats(items.slice(at + 1)), checkpoint);
  }
});
