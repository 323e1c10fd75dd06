import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { createMemoryFiles } from "../files/memory-files.ts";
import { openFiles } from "../files/open-files.ts";
import { matches as matchesFiles, readAll } from "../read-all.test.ts";
import { slack } from "./slack.ts";

const users = [
  { id: "U1", name: "ada", real_name: "Ada L", profile: { display_name: "Ada", email: "ada@example.com" } },
  { id: "U2", name: "bob", deleted: true, profile: { display_name: "", real_name: "Bob Stone" } },
  { id: "U3", name: "deploybot", is_bot: true, profile: { real_name: "Deploys", bot_id: "B3" } },
  { name: "nobody" },
];

const day1 = [
  {
    type: "message",
    user: "U1",
    ts: "1700000000.000100",
    text: "Hi <@U2> &amp; <!here>, see <#C2|old-name> &lt;b&gt;",
  },
  {
    type: "message",
    user: "U2",
    ts: "1700000001.000200",
    text: "The kiln broke",
    thread_ts: "1700000001.000200",
    reply_count: 1,
    edited: { user: "U2", ts: "1700000009.000000" },
    reactions: [{ name: "cry", count: 2, users: ["U1", "U9"] }],
    blocks: [{ type: "rich_text", elements: [] }],
  },
  {
    type: "message",
    user: "U9",
    user_profile: { display_name: "Visitor" },
    ts: "1700000002.000300",
    thread_ts: "1700000001.000200",
    parent_user_id: "U2",
    text: "Order a <https://example.com/e|heating element> or <mailto:a@b.c|a@b.c>",
    files: [
      {
        id: "F1",
        name: "kiln.jpg",
        mimetype: "image/jpeg",
        size: 12,
        url_private: "https://files.slack.com/kiln.jpg?t=xoxe-secret",
      },
      { id: "F2", mode: "tombstone" },
    ],
  },
  { type: "message", ts: "1700000002.000300", user: "U1", text: "same ts, other message" },
  { type: "message", user: "U1", text: "no ts" },
];

const day2 = [
  {
    type: "message",
    subtype: "bot_message",
    bot_id: "B3",
    ts: "1700090000.000100",
    text: "",
    attachments: [
      {
        fallback: "not shown",
        pretext: "Deployed by <@U1>",
        title: "Build 7",
        title_link: "https://example.com/7",
        fields: [{ title: "Stage", value: "live" }],
      },
      { fallback: "only a fallback" },
    ],
  },
  {
    type: "message",
    user: "U1",
    ts: "1700090001.000100",
    text: "",
    blocks: [
      { type: "header", text: { type: "plain_text", text: "Glaze notes" } },
      {
        type: "section",
        text: { type: "mrkdwn", text: "*Cone* 6 for <@U2>" },
        fields: [{ type: "mrkdwn", text: "a &gt; b" }],
      },
      {
        type: "rich_text",
        elements: [
          {
            type: "rich_text_section",
            elements: [
              { type: "text", text: "Ask " },
              { type: "user", user_id: "U1" },
              { type: "text", text: " in " },
              { type: "channel", channel_id: "C2" },
              { type: "emoji", name: "fire" },
              { type: "link", url: "https://example.com", text: "here" },
            ],
          },
          {
            type: "rich_text_list",
            elements: [
              { type: "rich_text_section", elements: [{ type: "text", text: "one" }] },
              { type: "rich_text_section", elements: [{ type: "text", text: "two" }] },
            ],
          },
        ],
      },
    ],
  },
];

const whole = {
  "users.json": JSON.stringify(users),
  "channels.json": JSON.stringify([
    {
      id: "C1",
      name: "pottery",
      created: 1600000000,
      creator: "U1",
      members: ["U1", "U2"],
      topic: { value: "Clay" },
    },
    { id: "C2", name: "general", is_archived: true },
  ]),
  "groups.json": JSON.stringify([{ id: "G1", name: "secret" }]),
  "dms.json": JSON.stringify([{ id: "D1", members: ["U1", "U2"] }]),
  "mpims.json": JSON.stringify([
    { id: "G2", name: "mpdm-ada--bob--deploybot-1", members: ["U1", "U2", "U3"] },
  ]),
  "integration_logs.json": "[]",
  "pottery/2023-11-14.json": JSON.stringify(day1),
  "pottery/2023-11-15.json": JSON.stringify(day2),
  "pottery/canvas_in_the_conversation.json": "[{}]",
  "D1/2023-11-14.json": JSON.stringify([{ user: "U2", ts: "1700000000.000100", text: "psst" }]),
  "G1-unknown/2023-11-14.json": '[{"user":"U1","ts":"1700000000.000100","text":"x"},{"ts":tru}]',
};

test("an export is detected by its content, also inside a folder, and not confused with one of Claude", async () => {
  const matches = (files: Record<string, string>) => matchesFiles(slack, createMemoryFiles("export", files));
  assert.equal(await matches(whole), true);
  const inside = Object.fromEntries(Object.entries(whole).map(([path, text]) => [`My export/${path}`, text]));
  assert.equal(await matches(inside), true);
  assert.equal((await readAll(slack, inside)).stream("messages").size, 8);
  assert.equal(await matches({ "users.json": '[{"uuid":"a"}]', "conversations.json": "[]" }), false);
  assert.equal(await matches({ "users.json": "[]", "notes/2024-01-01.json": '[{"text":"a diary"}]' }), false);
});

test("mentions, channels, links and entities are shown by name", async () => {
  const { stream } = await readAll(slack, whole);
  const text = (id: string): unknown => stream("messages").get(id)?.text;
  assert.equal(text("C1~1700000000.000100"), "Hi @Bob Stone & @here, see #general <b>");
  assert.equal(text("C1~1700000002.000300"), "Order a heating element (https://example.com/e) or a@b.c");
});

test("messages that consist of blocks or attachments have text", async () => {
  const { stream } = await readAll(slack, whole);
  const bot = stream("messages").get("C1~1700090000.000100");
  assert.equal(bot?.text, "Deployed by @Ada\nBuild 7 (https://example.com/7)\nStage: live\nonly a fallback");
  assert.deepEqual([bot?.user, bot?.is_bot], ["Deploys", true]);
  assert.equal(
    stream("messages").get("C1~1700090001.000100")?.text,
    "Glaze notes\n*Cone* 6 for @Bob Stone\na > b\nAsk @Ada in #general:fire:here (https://example.com)\none\ntwo",
  );
});

test("a reply names its thread, and ts is kept as text", async () => {
  const { stream } = await readAll(slack, whole);
  const messages = stream("messages");
  const reply = messages.get("C1~1700000002.000300");
  assert.deepEqual(
    [reply?.ts, reply?.parent_id, reply?.thread_id, reply?.user],
    ["1700000002.000300", "C1~1700000001.000200", "C1~1700000001.000200", "Visitor"],
  );
  assert.deepEqual(messages.get("C1~1700000001.000200"), {
    id: "C1~1700000001.000200",
    channel_id: "C1",
    channel: "pottery",
    ts: "1700000001.000200",
    sent_at: "2023-11-14T22:13:21.000Z",
    user_id: "U2",
    user: "Bob Stone",
    text: "The kiln broke",
    thread_id: "C1~1700000001.000200",
    reply_count: 1,
    edited_at: "2023-11-14T22:13:29.000Z",
    reactions: [{ name: "cry", count: 2, users: ["Ada", "U9"] }],
  });
});

test("files are listed without the token that their links carry", async () => {
  const { stream, items } = await readAll(slack, whole);
  assert.deepEqual(stream("messages").get("C1~1700000002.000300")?.files, [
    {
      id: "F1",
      name: "kiln.jpg",
      mime_type: "image/jpeg",
      size_bytes: 12,
      url: "https://files.slack.com/kiln.jpg",
    },
    { id: "F2" },
  ]);
  assert.ok(!JSON.stringify(items).includes("xoxe"));
});

test("every kind of conversation is a channel, named by its name or its members", async () => {
  const { stream } = await readAll(slack, whole);
  assert.deepEqual(
    [...stream("channels").values()].map(({ id, kind, name }) => [id, kind, name]),
    [
      ["C1", "public", "pottery"],
      ["C2", "public", "general"],
      ["G1", "private", "secret"],
      ["G2", "group", "Ada, Bob Stone, Deploys"],
      ["D1", "direct", "Ada, Bob Stone"],
    ],
  );
  assert.equal(stream("messages").get("D1~1700000000.000100")?.channel, "Ada, Bob Stone");
  assert.equal(stream("messages").get("G1-unknown~1700000000.000100")?.channel, "G1-unknown");
});

test("unreadable items are rejected with their place; two messages with one ts are both kept", async () => {
  const { rejected, stream } = await readAll(slack, whole);
  assert.equal(stream("messages").get("C1~1700000002.000300~2")?.text, "same ts, other message");
  assert.deepEqual(
    rejected.map(({ place }) => place.replace(/ at byte \d+/, "")),
    ["users.json, user 4", "G1-unknown/2023-11-14.json, message 2", "pottery/2023-11-14.json, message 5"],
  );
});

test("reading resumes after any day and gives the rest of the items", async () => {
  const { items } = await readAll(slack, whole);
  const ends = items.flatMap(({ checkpoint }, at) => (checkpoint === undefined ? [] : [at]));
  assert.equal(ends.length, 4);
  for (const at of ends) {
    assert.deepEqual((await readAll(slack, whole, items[at]!.checkpoint)).items, items.slice(at + 1));
  }
});

const corpus = join(import.meta.dirname, "../../../../../shared/corpora/slack/testarchive.zip");

suite("a real export", { skip: !existsSync(corpus) }, () => {
  test("has 2 channels and 158 messages, each with text and a name", async () => {
    const files = await openFiles(corpus);
    assert.equal(await matchesFiles(slack, files), true);
    const { stream, rejected } = await readAll(slack, files);
    assert.deepEqual([stream("channels").size, stream("messages").size], [2, 158]);
    assert.deepEqual(rejected, []);
    for (const { text, user, sent_at } of stream("messages").values()) assert.ok(text && user && sent_at);
    await files.close();
  });
});
