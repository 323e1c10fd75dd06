import { declareAttachments } from "../chat/attachments.ts";
import { declare, shapes } from "../declare.ts";

const secondary = { type: "string", x_pdpp_role: "secondary" };
const local = {
  type: "string",
  description: "As the exporting phone showed it, without a time zone.",
};

/** Chats, their messages, and the files in them. */
export const whatsappManifest = declare({
  connector: "whatsapp",
  name: "WhatsApp",
  version: "4",
  streams: [
    {
      name: "chats",
      label: "Chats",
      time_field: "last_at",
      searched: ["name", "participants"],
      filtered: ["participants"],
      properties: {
        id: shapes.text,
        name: shapes.title,
        participants: { ...shapes.texts, description: "Everyone who wrote a message." },
        message_count: shapes.integer,
        first_at: { type: "string", format: "date-time" },
        last_at: shapes.time,
      },
    },
    {
      name: "messages",
      label: "Messages",
      time_field: "sent_at",
      searched: ["text", "sender"],
      filtered: ["sender"],
      properties: {
        id: shapes.text,
        chat_id: shapes.thread,
        chat: secondary,
        sender: shapes.actor,
        sent_at: {
          ...shapes.time,
          description: "local_time read as UTC, or in the time zone that the import named.",
        },
        local_time: local,
        text: shapes.body,
        kind: { type: "string", description: "message, or system for a notice of the application." },
        attachment_ids: shapes.texts,
      },
      views: [
        {
          id: "reading",
          label: "What was said",
          fields: ["id", "chat_id", "chat", "sender", "sent_at", "text"],
        },
      ],
    },
    declareAttachments({ chat_id: shapes.text, chat: secondary, sender: shapes.actor, local_time: local }),
  ],
});
