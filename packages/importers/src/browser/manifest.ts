import { declare, shapes } from "../declare.ts";

/** The bookmarks and the history of a browser. */
export const browserManifest = declare({
  connector: "browser",
  name: "Browser",
  version: "1",
  streams: [
    {
      name: "bookmarks",
      label: "Bookmarks",
      time_field: "added_at",
      searched: ["title", "url", "folder", "tags", "description"],
      filtered: ["url", "folder", "tags"],
      properties: {
        id: shapes.text,
        title: shapes.title,
        url: { ...shapes.text, x_pdpp_role: "secondary" },
        folder: { type: "string", description: "The folders that it is in, joined by a slash." },
        tags: shapes.texts,
        description: shapes.body,
        added_at: shapes.time,
      },
    },
    {
      name: "visits",
      label: "History",
      time_field: "visited_at",
      searched: ["title", "url"],
      filtered: ["url"],
      properties: {
        id: shapes.text,
        title: shapes.title,
        url: { ...shapes.text, x_pdpp_role: "secondary" },
        visited_at: shapes.time,
      },
    },
  ],
});
