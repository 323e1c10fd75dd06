/** The streams that exports of messengers share: chats, messages, and the files in them. */
import { type StreamOutline, shapes } from "../declare.ts";
import { declareAttachments } from "./attachments.ts";

/** A field below the title in the card of a record. */
export const secondary = { type: "string", x_pdpp_role: "secondary" } as const;
/** A time beside the one that orders the records. */
export const otherTime = { type: "string", format: "date-time" } as const;

/** Fields of one service, by stream. */
export interface OwnFields {
  readonly chats?: Readonly<Record<string, object>>;
  readonly messages?: Readonly<Record<string, object>>;
  readonly attachments?: Readonly<Record<string, object>>;
}

/** Declares `chats`, `messages` and `attachments`, with the fields that only this service has. */
export function declareChats(own: OwnFields = {}): StreamOutline[] {
  return [
    {
      name: "chats",
      label: "Chats and groups",
      searched: ["name", "members"],
      filtered: ["members"],
      properties: {
        id: shapes.text,
        name: shapes.title,
        kind: secondary,
        members: shapes.texts,
        ...own.chats,
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
        sender_id: shapes.text,
        sender: shapes.actor,
        sent_at: shapes.time,
        edited_at: otherTime,
        text: shapes.body,
        kind: { type: "string", description: "message, call, or system for a notice of the service." },
        is_own: { type: "boolean", description: "Whether the owner of the account sent it." },
        reply_to_id: shapes.text,
        links: shapes.texts,
        attachment_ids: shapes.texts,
        reactions: {
          type: "array",
          items: {
            type: "object",
            properties: { emoji: shapes.text, sender: shapes.text, count: shapes.integer },
          },
        },
        ...own.messages,
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
      ...own.attachments,
    }),
  ];
}
