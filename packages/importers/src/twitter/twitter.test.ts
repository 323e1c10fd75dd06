import assert from "node:assert/strict";
import { test } from "node:test";
import { makeTwitterArchive } from "../../../../testing/files/twitter.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { matches, readAll } from "../read-all.test.ts";
import { twitter } from "./twitter.ts";

test("posts have their time, thread, full addresses and pictures", async () => {
  const { stream, rejected } = await readAll(twitter, makeTwitterArchive());
  assert.deepEqual(rejected, []);
  const [note, first, second, answer, repost] = [...stream("posts").values()];
  assert.deepEqual(
    [first?.author, first?.posted_at, first?.text, first?.links, first?.tags, first?.like_count, first?.kind],
    [
      "@ann",
      "2018-10-10T20:19:24.000Z",
      "Rope & <tar> 🪢 https://ropes.example/tar",
      ["https://ropes.example/tar"],
      ["rope"],
      3,
      "post",
    ],
  );
  assert.deepEqual([second?.thread_id, second?.kind], [first?.id, "reply"], "a thread of the owner");
  assert.deepEqual([answer?.thread_id, answer?.reply_to], ["900000000000000009", "@ben"]);
  assert.deepEqual([repost?.kind, repost?.mentions], ["repost", ["@ben"]]);
  assert.deepEqual([note?.kind, note?.text], ["note", "A long post, whole"]);
  const [picture, video] = [...stream("attachments").values()];
  assert.deepEqual(
    [picture?.message_id, picture?.name, picture?.file !== undefined],
    [first?.id, "a.png", true],
  );
  assert.deepEqual([video?.name, video?.url], ["v.mp4", "https://video.example/v.mp4?tag=1"]);
});

test("direct messages have names where posts mention the account, and notices of groups are system messages", async () => {
  const { stream } = await readAll(twitter, makeTwitterArchive());
  assert.deepEqual(
    [...stream("messages").values()].map(({ chat, sender, text, kind, is_own, sent_at }) => [
      chat,
      sender,
      text,
      kind,
      is_own,
      sent_at,
    ]),
    [
      ["Group 77", "@ben", "@ben named the conversation 船.", "system", false, "2020-01-02T00:00:01.000Z"],
      ["Group 77", "3", "hi all", "message", false, "2020-01-02T00:00:00.000Z"],
      ["@ben", "@ann", "see https://ropes.example/", "message", true, "2020-01-01T10:00:01.000Z"],
      ["@ben", "@ben", "rope?", "message", false, "2020-01-01T10:00:00.000Z"],
    ],
  );
  assert.deepEqual(
    [...stream("chats").values()].map(({ name, kind, members }) => [name, kind, members]),
    [
      ["Group 77", "group", undefined],
      ["@ben", "direct", ["@ann", "@ben"]],
    ],
  );
});

test("a liked post has its text, and the time at which it was written", async () => {
  const { stream } = await readAll(twitter, makeTwitterArchive());
  assert.deepEqual(
    [...stream("likes").values()],
    [
      {
        id: "1050118621198921728",
        text: "Tar & feathers",
        posted_at: "2018-10-10T20:19:24.211Z",
        url: "https://x.com/i/web/status/1050118621198921728",
      },
    ],
  );
});

test("an archive resumes after every checkpoint; broken items are rejected by their place", async () => {
  const contents = {
    ...makeTwitterArchive(),
    "data/tweets-part1.js":
      'window.YTD.tweets.part1 = [ {"tweet": {}}, 7, {"tweet": {"id_str": "5", "full_text": "x"}} ]',
    "data/direct-messages-part1.js":
      'window.YTD.direct_messages.part1 = [{"dmConversation":{"conversationId":"8-9","messages":[{"odd":{}}, 1]}}]',
  };
  const whole = await readAll(twitter, contents);
  assert.deepEqual(
    whole.rejected.map(({ place }) => place),
    [
      "data/direct-messages-part1.js, message 1 at byte 90",
      "data/direct-messages-part1.js, message 2 at byte 102",
      "data/tweets-part1.js, post 1 at byte 28",
      "data/tweets-part1.js, post 2 at byte 43",
    ],
  );
  const key = (item: (typeof whole.items)[number]) =>
    item.kind === "record" ? `${item.stream} ${item.key}` : item.kind === "rejected" ? item.place : "";
  for (const [at, { checkpoint }] of whole.items.entries()) {
    if (checkpoint === undefined) continue;
    const rest = await readAll(twitter, contents, checkpoint);
    const expected = new Set(whole.items.slice(at + 1).map(key));
    // A chat may be reported again.
    assert.deepEqual(
      rest.items.map(key).filter((each) => !each.startsWith("chats ")),
      [...expected].filter((each) => !each.startsWith("chats ")),
    );
  }
});

test("one list alone is recognized under any name, and no other script is", async () => {
  const { "data/like.js": list = "" } = makeTwitterArchive();
  assert.ok(await matches(twitter, createMemoryFiles("x", { x: list })));
  for (const script of ["window.YTD = {}", "var a = [{}]", "window.__THAR_CONFIG = {}"])
    assert.ok(!(await matches(twitter, createMemoryFiles("x", { "a.js": script }))), script);
});
