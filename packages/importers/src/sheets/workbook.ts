/** Workbooks: the sheets of an XLSX (ECMA-376 part 1, §18) or ODS (ODF 1.3 part 3, §9) file, row by row. */
import type { FileEntry, Files } from "../files/files.ts";
import { openPackage } from "../files/inner-zip.ts";
import { readXml } from "../xml/xml-events.ts";
import { readOdsRows } from "./ods-rows.ts";
import type { Sheet } from "./sheet.ts";
import { listXlsxSheets } from "./xlsx.ts";

/** The kind of a workbook, by the parts of its package. */
type WorkbookKind = "xlsx" | "ods";

const ODS_TYPE = "application/vnd.oasis.opendocument.spreadsheet";

/** The kind of workbook that a zipped file is; undefined for other files. */
export async function detectWorkbook(entry: FileEntry): Promise<WorkbookKind | undefined> {
  const parts = await openPackage(entry);
  try {
    return await detectParts(parts);
  } finally {
    await parts.close();
  }
}

/** The sheets of a workbook. Throws `file_unreadable`. */
export async function listSheets(entry: FileEntry): Promise<readonly Sheet[]> {
  const parts = await openPackage(entry);
  const kind = await detectParts(parts);
  if (kind === undefined) return [];
  return kind === "xlsx" ? await listXlsxSheets(parts) : await listOdsSheets(parts);
}

async function detectParts(parts: Files): Promise<WorkbookKind | undefined> {
  const type = await (await parts.find("mimetype"))?.head(100);
  if (type && Buffer.from(type).toString("latin1").startsWith(ODS_TYPE)) return "ods";
  return (await parts.find("xl/workbook.xml")) ? "xlsx" : undefined;
}

const SHEETS_MAX = 10_000;

/** The sheets of an ODS file, which are all in one part. */
async function listOdsSheets(parts: Files): Promise<readonly Sheet[]> {
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
