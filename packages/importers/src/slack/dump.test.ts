import assert from "node:assert/strict";
import { test } from "node:test";
import { makeSlackDatabase } from "../../../../testing/files/slack-db.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { matches, readAll } from "../read-all.test.ts";
import { slack } from "./slack.ts";

const PICTURE = Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1");
const file = {
  id: "F012345678",
  name: "rope chart.png",
  title: "Ropes",
  mimetype: "image/png",
  size: 12,
  url_private: "https://files.slack.com/a?t=secret",
};
const question = {
  type: "message",
  user: "U012345678",
  text: "Who has rope?",
  ts: "1736478514.897649",
  thread_ts: "1736478514.897649",
  files: [file],
};
const reply = {
  type: "message",
  user: "U012345679",
  text: "<@U012345678> me",
  ts: "1736478515.000100",
  thread_ts: "1736478514.897649",
};
const users = [
  { id: "U012345678", name: "ann", profile: { display_name: "Ann" } },
  { id: "U012345679", name: "ben", profile: {} },
];

test("files of an export are attachments, with their bytes where a tool added them", async () => {
  const lists = {
    "users.json": JSON.stringify(users),
    "channels.json": JSON.stringify([{ id: "C012345678", name: "general", members: [] }]),
    "general/2025-01-10.json": JSON.stringify([question, reply]),
  };
  const places = ["general/attachments/F012345678-rope_chart.png", "__uploads/F012345678/rope chart.png"];
  for (const place of places) {
    const files = createMemoryFiles("export", { ...lists, [place]: PICTURE });
    assert.ok(await matches(slack, files));
    const { stream } = await readAll(slack, files);
    const [record] = [...stream("attachments").values()];
    assert.deepEqual(
      [record?.name, record?.title, record?.user, record?.url, record?.file !== undefined],
      ["rope chart.png", "Ropes", "Ann", "https://files.slack.com/a", true],
      place,
    );
  }
  const { stream } = await readAll(slack, lists);
  const [linked] = [...stream("attachments").values()];
  assert.deepEqual([linked?.size_bytes, linked?.file], [12, undefined], "a link only");
});

test("a channel of slackdump gives its messages with their replies and files", async () => {
  const contents = {
    "C012345678.json": JSON.stringify({
      channel_id: "C012345678",
      name: "general",
      messages: [{ ...question, slackdump_thread_replies: [question, reply] }, { text: "no ts" }],
    }),
    "C012345678/F012345678-rope_chart.png": PICTURE,
    "users.json": JSON.stringify(users),
  };
  assert.ok(await matches(slack, createMemoryFiles("dump", contents)));
  const { stream, rejected, items } = await readAll(slack, contents);
  assert.equal(rejected.length, 1);
  assert.deepEqual(
    [...stream("messages").values()].map(({ channel, user, text, parent_id }) => [
      channel,
      user,
      text,
      parent_id,
    ]),
    [
      ["general", "Ann", "Who has rope?", undefined],
      ["general", "ben", "@Ann me", "C012345678~1736478514.897649"],
    ],
  );
  assert.ok([...stream("attachments").values()][0]?.file);
  const [checkpoint] = items.flatMap((item) => item.checkpoint ?? []);
  const rest = await readAll(slack, contents, checkpoint);
  assert.deepEqual(
    rest.items.map(({ kind }) => kind),
    ["rejected"],
  );
});

test("slackdump's database gives people, channels and the newest version of each message", async () => {
  const bytes = makeSlackDatabase(users, { id: "C012345678", name: "general" }, [
    [1, 1, question],
    [2, 1, reply],
    [1, 2, { ...question, text: "Who has ROPE?" }],
  ]);
  const contents = { "slackdump.sqlite": bytes, "__uploads/F012345678/rope chart.png": PICTURE };
  assert.ok(await matches(slack, createMemoryFiles("archive", contents)));
  const { stream, rejected, items } = await readAll(slack, contents);
  assert.deepEqual(rejected, []);
  assert.deepEqual(
    [...stream("messages").values()].map(({ channel, user, text }) => [channel, user, text]),
    [
      ["general", "ben", "@Ann me"],
      ["general", "Ann", "Who has ROPE?"],
    ],
  );
  assert.ok([...stream("attachments").values()][0]?.file);
  const [checkpoint] = items.flatMap((item) => item.checkpoint ?? []);
  const rest = await readAll(slack, contents, checkpoint);
  assert.deepEqual([rest.stream("messages").size, rest.stream("users").size], [1, 0]);
  const damaged = Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0x55)]);
  assert.equal((await readAll(slack, { "slackdump.sqlite": damaged })).rejected.length, 1);
});
