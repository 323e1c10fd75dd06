import { declareAttachments } from "../chat/attachments.ts";
import { declare, shapes } from "../declare.ts";

/** The pages and databases of a Notion export. */
export const notionManifest = declare({
  connector: "notion",
  name: "Notion",
  version: "1",
  streams: [
    {
      name: "pages",
      label: "Pages and databases",
      time_field: "edited_at",
      searched: ["title", "text", "path", "properties"],
      properties: {
        id: shapes.text,
        title: shapes.title,
        text: shapes.body,
        kind: { type: "string", description: "page, database, or row for a page of a database." },
        path: {
          type: "string",
          x_pdpp_role: "secondary",
          description: "The titles of the pages that it is in.",
        },
        parent_id: { type: "string", description: "The page or database that it is in." },
        database_id: { ...shapes.thread, description: "The database that a row is in." },
        properties: { type: "object", description: "The properties of a row, by the names of the columns." },
        people: { ...shapes.actor, description: "Who made it, if the export says so." },
        links: shapes.texts,
        linked_ids: { ...shapes.texts, description: "The pages that it links to." },
        columns: shapes.texts,
        created_at: { type: "string", format: "date-time" },
        edited_at: shapes.time,
        attachment_ids: shapes.texts,
      },
      relationships: [{ name: "parent", stream: "pages", foreign_key: "parent_id", cardinality: "one" }],
      views: [
        {
          id: "list",
          label: "Titles without text",
          fields: ["id", "title", "kind", "path", "parent_id", "edited_at"],
        },
      ],
    },
    declareAttachments({}),
  ],
});
