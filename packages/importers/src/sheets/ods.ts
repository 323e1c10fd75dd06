import type { Files } from "../files/files.ts";
import { readXml } from "../xml/xml-events.ts";
import { readOdsRows } from "./ods-rows.ts";
import type { Sheet } from "./sheet.ts";

const SHEETS_MAX = 10_000;

/** The sheets of an ODS file, which are all in one part. */
export async function listOdsSheets(parts: Files): Promise<readonly Sheet[]> {
  const part = await parts.find("content.xml");
  if (!part) return [];
  const found: { name: string; is_hidden: boolean }[] = [];
  const hidden = new Set<string>();
  let [style, depth] = ["", 0];
  await readXml(part.open(), {
    open(name, attributes) {
      if (name === "style") style = attributes["style:name"] ?? "";
      if (name === "table-properties" && attributes["table:display"] === "false") hidden.add(style);
      if (name !== "table") return;
      depth += 1;
      const sheet = attributes["table:name"] ?? "";
      const is_hidden = hidden.has(attributes["table:style-name"] ?? "");
      if (depth === 1 && found.length < SHEETS_MAX) found.push({ name: sheet, is_hidden });
    },
    close(name) {
      if (name === "table") depth -= 1;
    },
  });
  return found.map((sheet, at) => ({ ...sheet, rows: () => readOdsRows(part, at) }));
}
