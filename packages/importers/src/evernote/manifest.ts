import { declare, shapes } from "../declare.ts";
import { TEXT_STATUSES } from "../extract/extraction.ts";

/** Evernote notes and their files. */
export const evernoteManifest = declare({
  connector: "evernote",
  name: "Evernote",
  version: "2",
  streams: [
    {
      name: "notes",
      label: "Notes",
      time_field: "updated_at",
      searched: ["title", "text", "tags"],
      filtered: ["tags"],
      properties: {
        id: shapes.text,
        title: shapes.title,
        text: shapes.body,
        tags: shapes.texts,
        author: shapes.actor,
        notebook: {
          type: "string",
          description: "The name of the exported file, which is that of the notebook.",
        },
        source_url: { type: "string", description: "The page that it was clipped from." },
        created_at: { type: "string", format: "date-time" },
        updated_at: shapes.time,
        attachment_count: shapes.integer,
      },
      relationships: [
        { name: "attachments", stream: "attachments", foreign_key: "note_record_id", cardinality: "many" },
      ],
    },
    {
      name: "attachments",
      label: "Attachments",
      time_field: "date",
      searched: ["file_name", "text"],
      properties: {
        id: shapes.text,
        note_record_id: { type: "string", description: "The id of the record in notes that it belongs to." },
        file_name: shapes.title,
        date: { ...shapes.time, description: "The time of the note." },
        mime_type: shapes.text,
        size_bytes: shapes.integer,
        file: shapes.blob,
        text: shapes.body,
        page_starts: { type: "array", items: { type: "integer" } },
        hidden_text: shapes.text,
        text_status: {
          enum: [...TEXT_STATUSES],
          type: "string",
        },
        text_problem: shapes.text,
      },
      relationships: [{ name: "note", stream: "notes", foreign_key: "note_record_id", cardinality: "one" }],
    },
  ],
});
