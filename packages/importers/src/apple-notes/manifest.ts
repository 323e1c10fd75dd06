import { declareAttachments } from "../chat/attachments.ts";
import { secondary } from "../chat/chat-streams.ts";
import { declare, shapes } from "../declare.ts";

/** Apple Notes and their files. */
export const appleNotesManifest = declare({
  connector: "apple-notes",
  name: "Apple Notes",
  version: "1",
  streams: [
    {
      name: "notes",
      label: "Notes",
      time_field: "edited_at",
      searched: ["title", "text", "folder", "tags"],
      filtered: ["folder", "tags"],
      properties: {
        id: shapes.text,
        title: shapes.title,
        text: shapes.body,
        folder: { ...secondary, description: "The folders that it is in, joined by a slash." },
        account: shapes.text,
        tags: shapes.texts,
        links: shapes.texts,
        created_at: { type: "string", format: "date-time" },
        edited_at: shapes.time,
        is_pinned: shapes.flag,
        is_deleted: { type: "boolean", description: "Whether it is among the recently deleted notes." },
        attachment_ids: shapes.texts,
      },
    },
    declareAttachments({}),
  ],
});
