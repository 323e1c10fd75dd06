import assert from "node:assert/strict";
import { test } from "node:test";
import type { ImportedItem } from "@rungs/contract";
import fc from "fast-check";
import { createMemoryFiles } from "../files/memory-files.ts";
import { matches, readAll } from "../read-all.test.ts";
import { meta } from "./meta.ts";
import { repairText } from "./repair-text.ts";

/** Text as Meta writes it: each byte of UTF-8 as a character. */
const garble = (text: string) => Buffer.from(text).toString("latin1");
const PICTURE = Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1");

const thread = (messages: readonly object[], more: object = {}) =>
  JSON.stringify({
    participants: [{ name: garble("José") }, { name: "Ann" }],
    messages,
    title: garble("José"),
    is_still_participant: true,
    thread_path: "inbox/jose_1aB",
    magic_words: [],
    ...more,
  });

function makeDownload(prefix: string): Record<string, string | Uint8Array> {
  const folder = `${prefix}messages/inbox/jose_1aB`;
  return {
    [`${folder}/message_1.json`]: thread([
      {
        sender_name: garble("José"),
        timestamp_ms: 1704067260000,
        content: garble("Feliz año 🎉"),
        reactions: [{ reaction: garble("❤"), actor: "Ann" }],
        is_geoblocked_for_viewer: false,
      },
      {
        sender_name: "Ann",
        timestamp_ms: 1704067250000,
        photos: [{ uri: `${folder}/photos/1_n.png`, creation_timestamp: 1704067250 }],
        share: { link: "https://rope.example/", share_text: "Rope" },
      },
      {
        sender_name: "Ann",
        timestamp_ms: 1704067240000,
        content: "Ann called you.",
        call_duration: 61,
        type: "Call",
      },
    ]),
    [`${folder}/message_2.json`]: thread([
      { sender_name: "Ann", timestamp_ms: 1604067260000, content: "first" },
    ]),
    [`${folder}/photos/1_n.png`]: PICTURE,
    [`${prefix}posts/your_posts_1.json`]: JSON.stringify([
      {
        timestamp: 1600000000,
        attachments: [{ data: [{ external_context: { url: "https://boat.example/" } }] }],
        data: [{ post: garble("Ein schöner Tag") }],
        title: "Ann shared a link.",
      },
    ]),
    [`${prefix}comments_and_reactions/comments.json`]: JSON.stringify({
      comments_v2: [
        {
          timestamp: 1600000001,
          data: [{ comment: { timestamp: 1600000001, comment: garble("Schön!"), author: "Ann" } }],
          title: "Ann commented on a post.",
        },
      ],
    }),
  };
}

test("messages, posts and comments of Facebook are read in the older and the newer layout", async () => {
  for (const prefix of ["", "your_activity_across_facebook/", "facebook-ann-2026/your_facebook_activity/"]) {
    const files = createMemoryFiles("facebook-ann", makeDownload(prefix));
    assert.ok(await matches(meta, files), prefix);
    const { stream, rejected } = await readAll(meta, files);
    assert.deepEqual(rejected, []);
    assert.deepEqual(
      [...stream("chats").values()],
      [{ id: "jose_1aB", name: "José", kind: "direct", members: ["José", "Ann"] }],
    );
    const found = [...stream("messages").values()].map(({ sender, sent_at, text, kind, links }) => [
      sender,
      sent_at,
      text,
      kind,
      links,
    ]);
    assert.deepEqual(found, [
      ["José", "2024-01-01T00:01:00.000Z", "Feliz año 🎉", "message", undefined],
      ["Ann", "2024-01-01T00:00:50.000Z", "Rope", "message", ["https://rope.example/"]],
      ["Ann", "2024-01-01T00:00:40.000Z", "Ann called you.", "call", undefined],
      ["Ann", "2020-10-30T14:14:20.000Z", "first", "message", undefined],
    ]);
    const [first] = [...stream("messages").values()];
    assert.deepEqual(first?.reactions, [{ emoji: "❤", sender: "Ann" }]);
    const [picture] = [...stream("attachments").values()];
    assert.ok(picture?.file, "the picture was found");
    const [post] = [...stream("posts").values()];
    assert.deepEqual([post?.text, post?.links], ["Ein schöner Tag", ["https://boat.example/"]]);
    const [comment] = [...stream("comments").values()];
    assert.deepEqual([comment?.text, comment?.author], ["Schön!", "Ann"]);
  }
});

test("messages, posts, reels, stories and comments of Instagram are read, with members named in any language", async () => {
  const prefix = "your_instagram_activity/";
  const { stream, rejected } = await readAll(meta, {
    [`${prefix}messages/inbox/ben_1/message_1.json`]: thread([
      { sender_name: "ben", timestamp_ms: 1704067260000, content: "hi" },
    ]),
    [`${prefix}content/posts_1.json`]: JSON.stringify([
      { media: [{ uri: "media/posts/1.png", creation_timestamp: 1600000000, title: garble("Küste") }] },
      {
        media: [{ uri: "media/posts/2.png" }, { uri: "media/posts/3.png" }],
        title: "Two",
        creation_timestamp: 1600000002,
      },
    ]),
    [`${prefix}content/reels.json`]: JSON.stringify({
      ig_reels_media: [
        { media: [{ uri: "media/reels/1.mp4", creation_timestamp: 1600000003, title: "Reel" }] },
      ],
    }),
    [`${prefix}content/stories.json`]: JSON.stringify({
      ig_stories: [{ uri: "media/stories/1.png", creation_timestamp: 1600000004, title: "" }],
    }),
    [`${prefix}comments/post_comments_1.json`]: JSON.stringify([
      {
        media_list_data: [{ uri: "" }],
        string_map_data: {
          Kommentar: { value: garble("schön") },
          "Media-Besitzer": { value: "ben" },
          Zeit: { timestamp: 1600000005 },
        },
      },
    ]),
    [`${prefix}comments/reels_comments.json`]: JSON.stringify({
      comments_reels_comments: [
        {
          string_map_data: {
            Comment: { value: "wow" },
            "Media Owner": { value: "cid" },
            Time: { timestamp: 1600000006 },
          },
        },
      ],
    }),
    "media/posts/1.png": PICTURE,
  });
  assert.deepEqual(rejected, []);
  assert.deepEqual(
    [...stream("posts").values()].map(({ kind, text, posted_at }) => [kind, text, posted_at]),
    [
      ["post", "Küste", "2020-09-13T12:26:40.000Z"],
      ["post", "Two", "2020-09-13T12:26:42.000Z"],
      ["reel", "Reel", "2020-09-13T12:26:43.000Z"],
      ["story", undefined, "2020-09-13T12:26:44.000Z"],
    ],
  );
  assert.deepEqual(
    [...stream("comments").values()].map(({ text, owner }) => [text, owner]),
    [
      ["schön", "ben"],
      ["wow", "cid"],
    ],
  );
  assert.equal([...stream("attachments").values()].filter(({ file }) => file !== undefined).length, 1);
  assert.equal(stream("messages").size, 1);
});

test("chats of the encrypted store are read verbatim", async () => {
  const files = {
    "messages/José_7.json": JSON.stringify({
      participants: ["José", "Ann"],
      threadName: "José_7",
      messages: [
        {
          isUnsent: false,
          media: [],
          reactions: [],
          senderName: "José",
          text: "tajná zpráva",
          timestamp: 1711913758573,
          type: "text",
        },
        {
          isUnsent: false,
          media: [{ uri: "./media/e.png" }],
          reactions: [{ actor: "José", reaction: "😆" }],
          senderName: "Ann",
          text: "Ã© is odd",
          timestamp: 1711913758574,
          type: "media",
        },
      ],
    }),
    "messages/media/e.png": PICTURE,
  };
  const { stream } = await readAll(meta, files);
  assert.deepEqual(
    [...stream("messages").values()].map(({ chat, text }) => [chat, text]),
    [
      ["José", "tajná zpráva"],
      ["José", "Ã© is odd"],
    ],
  );
  assert.ok([...stream("attachments").values()][0]?.file);
});

test("garbled UTF-8 is repaired exactly, and other text is unchanged", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const well = text.toWellFormed();
      assert.equal(repairText(garble(well)), well);
    }),
  );
  for (const text of ["café", "naïve", "plain", "Ünter", "日本 Ã©", "\u00ff\u00fe", "São"])
    assert.equal(repairText(text), text);
});

test("a download resumes after every checkpoint with the same records", async () => {
  const contents = makeDownload("");
  const { items } = await readAll(meta, contents);
  for (const [at, { checkpoint }] of items.entries()) {
    if (checkpoint === undefined) continue;
    const { items: rest } = await readAll(meta, contents, checkpoint);
    // The chat is repeated with the first message that is read from it.
    const withoutChats = (list: readonly ImportedItem[]) =>
      list.filter((item) => item.kind !== "record" || item.stream !== "chats");
    assert.deepEqual(withoutChats(rest), withoutChats(items.slice(at + 1)), checkpoint);
  }
});

test("broken messages are rejected by their place, and a repeated message is read once", async () => {
  const message = { sender_name: "Ann", timestamp_ms: 1704067260000, content: "twice" };
  const { rejected, items } = await readAll(meta, {
    "messages/inbox/a_1/message_1.json": thread([
      message,
      message,
      7 as never,
      {},
      { ...message, content: "other" },
    ]),
  });
  assert.deepEqual(
    rejected.map(({ reason }) => reason),
    ["Not a message.", "Not a message: it has neither a sender nor a time."],
  );
  assert.equal(items.filter((item) => item.kind === "record" && item.stream === "messages").length, 2);
});

test("other programs' files with the names of a download are not mistaken for one", async () => {
  const others = {
    "comments.json": JSON.stringify([{ id: 1, comment: "hi" }]),
    "posts.json": JSON.stringify([{ timestamp: 1600000000, data: [1, 2], title: "x" }]),
    "message_1.json": JSON.stringify({ participants: [{ name: "Ann" }], score: 1 }),
  };
  assert.equal(await matches(meta, createMemoryFiles("x", others)), false);
});
