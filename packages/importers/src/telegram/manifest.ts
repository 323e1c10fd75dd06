import { declareAttachments } from "../chat/attachments.ts";
import { declare, shapes } from "../declare.ts";

const secondary = { type: "string", x_pdpp_role: "secondary" };

/** Chats, their messages, and the files in them. */
export const telegramManifest = declare({
  connector: "telegram",
  name: "Telegram",
  version: "2",
  streams: [
    {
      name: "chats",
      label: "Chats, groups and channels",
      searched: ["name"],
      properties: { id: shapes.text, name: shapes.title, kind: secondary },
    },
    {
      name: "messages",
      label: "Messages",
      time_field: "sent_at",
      searched: ["text", "sender"],
      filtered: ["sender"],
      properties: {
        id: { type: "string", description: "The chat's id and the message's." },
        chat_id: shapes.thread,
        chat: secondary,
        sender_id: shapes.text,
        sender: shapes.actor,
        sent_at: shapes.time,
        edited_at: { type: "string", format: "date-time" },
        text: shapes.body,
        kind: { type: "string", description: "message, or service for a notice of the application." },
        action: { type: "string", description: "What happened, in a service message." },
        reply_to_id: shapes.text,
        forwarded_from: shapes.text,
        via_bot: shapes.text,
        media_type: shapes.text,
        duration_seconds: shapes.integer,
        attachment_ids: shapes.texts,
        latitude: { type: "number" },
        longitude: { type: "number" },
        reactions: {
          type: "array",
          items: { type: "object", properties: { emoji: shapes.text, count: shapes.integer } },
        },
      },
      views: [
        {
          id: "reading",
          label: "What was said",
          fields: ["id", "chat_id", "chat", "sender", "sent_at", "text", "reply_to_id"],
        },
      ],
    },
    declareAttachments({
      chat_id: shapes.text,
      chat: secondary,
      sender: shapes.actor,
      media_type: shapes.text,
      duration_seconds: shapes.integer,
    }),
  ],
});
