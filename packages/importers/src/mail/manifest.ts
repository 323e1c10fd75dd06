import { declare, shapes } from "../declare.ts";
import { TEXT_STATUSES } from "../extract/extraction.ts";

/** The messages of a mailbox and their attachments. */
export const mailManifest = declare({
  connector: "mail",
  name: "Mail",
  version: "7",
  streams: [
    {
      name: "messages",
      label: "Messages",
      time_field: "date",
      searched: ["subject", "from", "to", "cc", "bcc", "labels", "body"],
      filtered: ["from", "to", "cc", "bcc", "labels", "flags"],
      properties: {
        id: shapes.text,
        subject: shapes.title,
        from: shapes.actor,
        from_address: shapes.text,
        to: shapes.recipients,
        cc: shapes.recipients,
        bcc: shapes.recipients,
        date: shapes.time,
        date_source: {
          enum: ["date", "received", "mailbox"],
          type: "string",
          description:
            "Where the date comes from: the Date field, a Received field, or the mailbox's own From line.",
        },
        body: shapes.body,
        body_source: {
          enum: ["plain", "html"],
          type: "string",
          description: "Whether the body is the plain text part or the text of the HTML part.",
        },
        hidden_text: {
          type: "string",
          description: "Text that the HTML hides from readers; not part of body.",
        },
        labels: shapes.texts,
        flags: {
          type: "array",
          items: { enum: ["seen", "replied", "forwarded", "flagged", "draft", "deleted"], type: "string" },
        },
        message_id: { type: "string", description: "The Message-ID field." },
        thread_id: {
          ...shapes.thread,
          description:
            "The conversation: Gmail's thread id, else the first Message-ID of References, else In-Reply-To, else its own Message-ID.",
        },
        in_reply_to: { type: "string", description: "The Message-ID of the message that this one answers." },
        list_id: { type: "string", description: "The mailing list that it came through." },
        attachment_count: shapes.integer,
        size_bytes: { type: "integer", description: "The size of its texts and attachments, decoded." },
      },
      relationships: [
        {
          name: "attachments",
          stream: "attachments",
          foreign_key: "message_record_id",
          cardinality: "many",
        },
      ],
      views: [
        {
          id: "headers",
          label: "Headers without the body",
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
          description: "Text that the document hides from readers; not part of text.",
        },
        text_status: {
          enum: [...TEXT_STATUSES],
          type: "string",
          description:
            "How much of the file's text was extracted; ocr: it was read from pictures and may have errors; no_text: it has only pictures; cut: a limit ended it early.",
        },
        text_problem: { type: "string", description: "Why there is no text, or not all of it." },
      },
      relationships: [
        { name: "message", stream: "messages", foreign_key: "message_record_id", cardinality: "one" },
      ],
      views: [
        {
          id: "names",
          label: "Names and sizes",
          fields: ["id", "message_record_id", "file_name", "date", "mime_type", "size_bytes"],
        },
      ],
    },
  ],
});
