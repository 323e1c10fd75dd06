import { declareChats, secondary } from "../chat/chat-streams.ts";
import { declare, shapes } from "../declare.ts";

/** What a download from Facebook, Messenger or Instagram says. */
export const metaManifest = declare({
  connector: "meta",
  name: "Facebook and Instagram",
  version: "1",
  streams: [
    ...declareChats({ messages: { call_seconds: shapes.integer } }),
    {
      name: "posts",
      label: "Posts, reels and stories",
      time_field: "posted_at",
      searched: ["text", "title", "links"],
      properties: {
        id: shapes.text,
        title: { ...shapes.title, description: "What the service says about the post, if it does." },
        text: shapes.body,
        posted_at: shapes.time,
        kind: { ...secondary, description: "post, reel or story." },
        links: shapes.texts,
        place: shapes.text,
        attachment_ids: shapes.texts,
      },
    },
    {
      name: "comments",
      label: "Comments",
      time_field: "written_at",
      searched: ["text", "title", "owner"],
      properties: {
        id: shapes.text,
        title: { ...shapes.title, description: "What the service says about the comment." },
        text: shapes.body,
        written_at: shapes.time,
        author: shapes.actor,
        owner: { ...secondary, description: "Whose post or group it was." },
        attachment_ids: shapes.texts,
      },
    },
  ],
});
