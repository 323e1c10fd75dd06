import { declare, shapes } from "../declare.ts";

/** What a mailbox holds: its messages, and what was attached to them. */
export const mailManifest = declare("mail", "Mail", [
  {
    name: "messages",
    label: "Messages",
    time_field: "date",
    searched: ["subject", "from", "to", "cc", "bcc", "labels", "body"],
    properties: {
      id: shapes.text,
      subject: shapes.title,
      from: shapes.actor,
      from_address: shapes.text,
      to: shapes.texts,
      cc: shapes.texts,
      bcc: shapes.texts,
      date: shapes.time,
      date_source: {
        enum: ["date", "received", "mailbox"],
        type: "string",
        description:
          "Where the date is from: the Date field, a Received field, or the mailbox's own From line.",
      },
      body: shapes.body,
      body_source: {
        enum: ["plain", "html"],
        type: "string",
        description: "Whether the body was written as text, or is the text of a web page.",
      },
      hidden_text: {
        type: "string",
        description: "Text of a web page that was kept from being seen; no part of the body.",
      },
      labels: shapes.texts,
      flags: {
        type: "array",
        items: { enum: ["seen", "replied", "forwarded", "flagged", "draft", "deleted"], type: "string" },
      },
      message_id: { type: "string", description: "The Message-ID field." },
      thread_id: { type: "string", description: "The same for the messages of a conversation." },
      in_reply_to: { type: "string", description: "The Message-ID of the message that this one answers." },
      list_id: { type: "string", description: "The mailing list that it came through." },
      attachment_count: shapes.integer,
      size_bytes: { type: "integer", description: "Of its texts and attachments, decoded." },
    },
    views: [
      {
        id: "headers",
        label: "Who wrote to whom, when and about what",
        fields: [
          "id",
          "subject",
          "from",
          "from_address",
          "to",
          "cc",
          "date",
          "labels",
          "thread_id",
          "attachment_count",
        ],
      },
    ],
  },
  {
    name: "attachments",
    label: "Attachments",
    time_field: "date",
    searched: ["file_name", "text"],
    properties: {
      id: shapes.text,
      message_record_id: {
        type: "string",
        description: "The id of the record in messages that it belongs to.",
      },
      file_name: shapes.title,
      date: { ...shapes.time, description: "The date of the message." },
      mime_type: shapes.text,
      size_bytes: shapes.integer,
      file: shapes.blob,
      text: shapes.body,
      page_starts: {
        type: "array",
        items: { type: "integer" },
        description: "Where each page begins in text, in characters.",
      },
      hidden_text: {
        type: "string",
        description: "Text that is kept from a reader's eyes; no part of text.",
      },
      text_status: {
        enum: ["complete", "cut", "unsupported", "failed"],
        type: "string",
        description: "Whether text could be made of the file; cut when a limit ended it.",
      },
      text_problem: { type: "string", description: "Why there is no text, or not all of it." },
    },
    views: [
      {
        id: "names",
        label: "Names and sizes",
        fields: ["id", "message_record_id", "file_name", "date", "mime_type", "size_bytes"],
      },
    ],
  },
]);
