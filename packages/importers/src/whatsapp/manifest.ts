import { declareAttachments } from "../chat/attachments.ts";
import { declare, shapes } from "../declare.ts";

const secondary = { type: "string", x_pdpp_role: "secondary" };
const local = {
  type: "string",
  description: "As the phone that made the export showed it; it names no zone.",
};

/** Chats, their messages, and the files in them. */
export const whatsappManifest = declare("whatsapp", "WhatsApp", [
  {
    name: "chats",
    label: "Chats",
    time_field: "last_at",
    searched: ["name", "participants"],
    properties: {
      id: shapes.text,
      name: shapes.title,
      participants: { ...shapes.texts, description: "Who wrote something." },
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
    properties: {
      id: shapes.text,
      chat_id: shapes.text,
      chat: secondary,
      sender: shapes.actor,
      sent_at: { ...shapes.time, description: "local_time taken as UTC." },
      local_time: local,
      text: shapes.body,
      kind: { type: "string", description: "message, or system for what the application says." },
      attachment_ids: shapes.texts,
    },
    views: [{ id: "reading", label: "What was said", fields: ["id", "chat", "sender", "sent_at", "text"] }],
  },
  declareAttachments({ chat_id: shapes.text, chat: secondary, sender: shapes.actor, local_time: local }),
]);
