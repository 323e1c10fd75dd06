import { declare, shapes } from "../declare.ts";
import { TEXT_STATUSES } from "../extract/extraction.ts";

/** A folder of documents, one record for each file. */
export const documentsManifest = declare({
  connector: "documents",
  name: "Documents",
  version: "5",
  streams: [
    {
      name: "documents",
      label: "Documents",
      time_field: "modified_at",
      searched: ["title", "text", "path", "tags", "aliases", "front_matter"],
      filtered: ["tags", "text_status"],
      properties: {
        id: shapes.text,
        title: shapes.title,
        path: { ...shapes.text, x_pdpp_role: "secondary" },
        folder: shapes.text,
        text: shapes.body,
        text_status: {
          type: "string",
          enum: [...TEXT_STATUSES],
          description:
            "ocr: text was read from pictures and may have errors. partial: some of the text could not be read. no_text: the document has only pictures. " +
            "cut: a limit ended the text early. unsupported: no text is read from such files.",
        },
        text_problem: {
          type: "string",
          description: "Why there is no text, what is missing, or what is uncertain.",
        },
        ocr_confidence: {
          type: "integer",
          description: "How sure OCR was of the text that it read from pictures: 0 to 100.",
        },
        hidden_text: {
          type: "string",
          description: "Text that the page hides from readers; not part of text.",
        },
        page_starts: {
          type: "array",
          items: { type: "integer" },
          description: "Where each page begins in text, in characters: page 1 first.",
        },
        page_count: shapes.integer,
        tags: shapes.texts,
        aliases: shapes.texts,
        links: { ...shapes.texts, description: "Where its links lead: addresses, paths, names of notes." },
        front_matter: { type: "object" },
        mime_type: shapes.text,
        size_bytes: shapes.integer,
        modified_at: shapes.time,
        created_at: { type: "string", format: "date-time" },
        file: shapes.blob,
      },
      views: [
        {
          id: "list",
          label: "Titles without text",
          fields: [
            "id",
            "title",
            "path",
            "folder",
            "tags",
            "mime_type",
            "size_bytes",
            "modified_at",
            "created_at",
          ],
        },
      ],
    },
  ],
});
