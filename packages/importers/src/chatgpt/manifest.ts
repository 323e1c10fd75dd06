import { declareAttachments } from "../chat/attachments.ts";
import { declare, shapes } from "../declare.ts";

const secondary = { type: "string", x_pdpp_role: "secondary" };

/** Conversations, the messages of all their branches, and the files in them. */
export const chatgptManifest = declare({
  connector: "chatgpt",
  name: "ChatGPT",
  version: "3",
  streams: [
    {
      name: "conversations",
      label: "Conversations",
      time_field: "created_at",
      searched: ["title"],
      properties: {
        id: shapes.text,
        title: shapes.title,
        created_at: shapes.time,
        updated_at: { type: "string", format: "date-time" },
        current_message_id: {
          type: "string",
          description: "The last message of the branch that the application shows.",
        },
        model: { ...secondary, description: "The conversation's default model." },
        message_count: { type: "integer", description: "Messages of all branches." },
        branch_count: { type: "integer", description: "The number of branches." },
        is_archived: shapes.flag,
        is_starred: shapes.flag,
        gizmo_id: { type: "string", description: "The custom GPT or project." },
        origin: shapes.text,
      },
    },
    {
      name: "messages",
      label: "Messages",
      time_field: "sent_at",
      searched: ["text", "conversation", "citations"],
      filtered: ["conversation"],
      properties: {
        id: shapes.text,
        conversation_id: shapes.thread,
        conversation: secondary,
        parent_id: {
          type: "string",
          x_pdpp_role: "parent",
          description: "The message that this one answers.",
        },
        role: shapes.actor,
        author: {
          type: "string",
          description: "The name of the tool or person in this role, if any.",
        },
        recipient: {
          type: "string",
          description: "The tool that the message addresses; absent when it addresses everybody.",
        },
        sent_at: shapes.time,
        updated_at: { type: "string", format: "date-time" },
        text: shapes.body,
        content_type: shapes.text,
        language: shapes.text,
        model: shapes.text,
        status: shapes.text,
        is_current: {
          type: "boolean",
          description: "Whether it is in the branch that the application shows; false for an older version.",
        },
        is_hidden: { type: "boolean", description: "Whether the application hides it." },
        attachment_ids: shapes.texts,
        citations: {
          type: "array",
          items: {
            type: "object",
            properties: { title: shapes.text, url: shapes.text, text: shapes.text },
          },
        },
      },
      views: [
        {
          id: "reading",
          label: "What was said",
          fields: [
            "id",
            "conversation_id",
            "conversation",
            "parent_id",
            "role",
            "sent_at",
            "text",
            "is_current",
          ],
        },
      ],
    },
    declareAttachments({
      conversation_id: shapes.text,
      conversation: secondary,
      kind: { type: "string", description: "image, audio, video or upload." },
      prompt: { type: "string", description: "The prompt that the image was generated from." },
      is_current: shapes.flag,
    }),
  ],
});
