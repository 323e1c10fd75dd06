import { declareAttachments } from "../chat/attachments.ts";
import { declare, shapes } from "../declare.ts";

const secondary = { type: "string", x_pdpp_role: "secondary" };
const time = { type: "string", format: "date-time" };

/** Conversations with their messages and uploads, projects with their documents, and memories. */
export const claudeManifest = declare({
  connector: "claude",
  name: "Claude",
  version: "3",
  streams: [
    {
      name: "conversations",
      label: "Conversations",
      time_field: "created_at",
      searched: ["title", "summary"],
      properties: {
        id: shapes.text,
        title: shapes.title,
        summary: shapes.body,
        created_at: shapes.time,
        updated_at: time,
        message_count: shapes.integer,
        project_id: shapes.text,
      },
    },
    {
      name: "messages",
      label: "Messages",
      time_field: "sent_at",
      searched: ["text", "thinking", "tools", "conversation"],
      filtered: ["conversation"],
      properties: {
        id: shapes.text,
        conversation_id: shapes.thread,
        conversation: secondary,
        parent_id: {
          x_pdpp_role: "parent",
          type: "string",
          description: "The message that this one answers, if the export says so.",
        },
        role: shapes.actor,
        sent_at: shapes.time,
        updated_at: time,
        text: shapes.body,
        thinking: { type: "string", contentMediaType: "text/plain" },
        tools: {
          type: "string",
          contentMediaType: "text/plain",
          description: "Calls to tools and their results.",
        },
        attachment_ids: shapes.texts,
        file_names: { ...shapes.texts, description: "Uploads that the export names without their content." },
        citations: {
          type: "array",
          items: { type: "object", properties: { title: shapes.text, url: shapes.text } },
        },
      },
      views: [
        {
          id: "reading",
          label: "What was said",
          fields: ["id", "conversation_id", "conversation", "role", "sent_at", "text"],
        },
      ],
    },
    declareAttachments({ conversation_id: shapes.text, conversation: secondary }),
    {
      name: "projects",
      label: "Projects",
      time_field: "created_at",
      searched: ["title", "description", "instructions"],
      properties: {
        id: shapes.text,
        title: shapes.title,
        description: shapes.body,
        instructions: { type: "string", contentMediaType: "text/plain" },
        creator: shapes.actor,
        created_at: shapes.time,
        updated_at: time,
        is_private: shapes.flag,
        document_count: shapes.integer,
      },
    },
    {
      name: "documents",
      label: "Project documents",
      time_field: "created_at",
      searched: ["title", "text"],
      properties: {
        id: shapes.text,
        project_id: shapes.text,
        project: secondary,
        title: shapes.title,
        text: shapes.body,
        created_at: shapes.time,
      },
    },
    {
      name: "memories",
      label: "Memories",
      searched: ["text"],
      properties: { id: shapes.text, project_id: shapes.text, text: shapes.body },
    },
  ],
});
