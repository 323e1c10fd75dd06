/** The view that hosts with MCP Apps (SEP-1865) show beside answers; other hosts ignore it. */
import { readFile } from "node:fs/promises";
import type { McpServer } from "@modelcontextprotocol/server";

const FILE = new URL("../../assets/view.html", import.meta.url);
const URI = "ui://rungs/view.html";
const MIME_TYPE = "text/html;profile=mcp-app";

/** What a tool's list entry says for its answers to be shown in the view. */
export const VIEW_META = { ui: { resourceUri: URI } } as const;

const _meta = { ui: { csp: {}, prefersBorder: true } };
const DESCRIPTION = {
  title: "Evidence view",
  description: "Shows answers to a person.",
  mimeType: MIME_TYPE,
  _meta,
};

/** The page as hosts list it. */
export const VIEW = { uri: URI, name: "view", ...DESCRIPTION };

/** Registers the page. It reads only by calling tools through the host, under the caller's grant, and loads nothing. */
export function registerView(server: McpServer): void {
  server.registerResource(VIEW.name, URI, DESCRIPTION, async () => ({
    contents: [{ uri: URI, mimeType: MIME_TYPE, text: await readFile(FILE, "utf8"), _meta }],
  }));
}
