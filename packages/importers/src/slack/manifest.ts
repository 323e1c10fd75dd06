import { declareAttachments } from "../chat/attachments.ts";
import { declare, shapes } from "../declare.ts";

const secondary = { type: "string", x_pdpp_role: "secondary" };
const time = { type: "string", format: "date-time" };

/** Channels, people and messages of a workspace. */
export const slackManifest = declare({
  connector: "slack",
  name: "Slack",
  version: "4",
  streams: [
    {
      name: "channels",
      label: "Channels and direct messages",
      time_field: "created_at",
      searched: ["name", "topic", "purpose"],
      filtered: ["members"],
      properties: {
        id: shapes.text,
        name: shapes.title,
        kind: { ...secondary, description: "public, private, direct or group." },
        topic: shapes.text,
        purpose: shapes.body,
        created_at: shapes.time,
        creator: shapes.actor,
        members: shapes.texts,
        is_archived: shapes.flag,
      },
    },
    {
      name: "users",
      label: "People and bots",
      searched: ["name", "real_name", "title", "email"],
      properties: {
        id: shapes.text,
        name: shapes.title,
        real_name: secondary,
        title: shapes.text,
        email: shapes.text,
        time_zone: shapes.text,
        is_bot: shapes.flag,
        is_deleted: shapes.flag,
      },
    },
    {
      name: "messages",
      label: "Messages",
      time_field: "sent_at",
      searched: ["text", "user", "files"],
      filtered: ["user"],
      properties: {
        id: { type: "string", description: "The channel's id and the message's ts." },
        // Listed before channel_id: replies and the message that they answer belong to their thread, all others to the
        // channel.
        thread_id: { ...shapes.thread, description: "The id of the message that started the thread." },
        channel_id: shapes.thread,
        channel: secondary,
        ts: { type: "string", description: "Slack's own id of the message in its channel, kept as text." },
        sent_at: shapes.time,
        user_id: shapes.text,
        user: shapes.actor,
        text: shapes.body,
        subtype: shapes.text,
        parent_id: {
          type: "string",
          description: "For a reply: the id of the message that started the thread.",
        },
        reply_count: shapes.integer,
        edited_at: time,
        is_bot: shapes.flag,
        files: {
          type: "array",
          items: {
            type: "object",
            properties: {
              id: shapes.text,
              name: shapes.text,
              title: shapes.text,
              mime_type: shapes.text,
              size_bytes: shapes.integer,
              url: shapes.text,
              text: shapes.text,
            },
          },
        },
        reactions: {
          type: "array",
          items: {
            type: "object",
            properties: { name: shapes.text, count: shapes.integer, users: shapes.texts },
          },
        },
      },
      views: [
        {
          id: "reading",
          label: "What was said",
          fields: ["id", "channel_id", "channel", "user", "sent_at", "text", "thread_id", "parent_id"],
        },
      ],
    },
    declareAttachments({
      channel_id: shapes.text,
      channel: secondary,
      user: shapes.actor,
      title: shapes.text,
      url: shapes.text,
    }),
  ],
});
