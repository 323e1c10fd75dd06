import { declareChats, secondary } from "../chat/chat-streams.ts";
import { declare, shapes } from "../declare.ts";

/** What an archive of X (Twitter) says. */
export const twitterManifest = declare({
  connector: "twitter",
  name: "X (Twitter)",
  version: "1",
  streams: [
    {
      name: "posts",
      label: "Posts and replies",
      time_field: "posted_at",
      searched: ["text", "author", "reply_to", "tags"],
      filtered: ["tags"],
      properties: {
        id: shapes.text,
        thread_id: { ...shapes.thread, description: "The id of the first post that is known of its thread." },
        author: shapes.actor,
        text: shapes.body,
        posted_at: shapes.time,
        kind: { ...secondary, description: "post, reply, repost, or note for the full text of a long post." },
        reply_to_id: shapes.text,
        reply_to: { type: "string", description: "The account that it answers." },
        mentions: shapes.texts,
        tags: shapes.texts,
        links: shapes.texts,
        language: shapes.text,
        like_count: shapes.integer,
        repost_count: shapes.integer,
        is_deleted: shapes.flag,
        attachment_ids: shapes.texts,
      },
    },
    {
      name: "likes",
      label: "Liked posts",
      time_field: "posted_at",
      searched: ["text", "url"],
      properties: {
        id: shapes.text,
        text: shapes.body,
        posted_at: {
          ...shapes.time,
          description: "When the post was written; the archive does not say when it was liked.",
        },
        url: secondary,
      },
    },
    ...declareChats({ attachments: { url: shapes.text } }),
  ],
});
