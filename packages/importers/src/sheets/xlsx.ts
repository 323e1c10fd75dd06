import type { FileEntry, Files } from "../files/files.ts";
import { readXml } from "../xml/xml-events.ts";
import { type DateForm, readBuiltInFormat, readFormatCode } from "./cell-text.ts";
import { createSharedStrings } from "./shared-strings.ts";
import type { Sheet } from "./sheet.ts";
import { readXlsxRows } from "./xlsx-rows.ts";

/** The sheets of an XLSX file, in the order of their tabs. */
export async function listXlsxSheets(parts: Files): Promise<readonly Sheet[]> {
  const targets = await readTargets(parts);
  const { tabs, date_system } = await readTabs(parts);
  const styles = await readStyles(parts);
  const strings = createSharedStrings(await parts.find("xl/sharedStrings.xml"));
  const sheets: Sheet[] = [];
  for (const { name, id, is_hidden } of tabs) {
    // A chart sheet has no cells.
    const part = await parts.find(targets.get(id) ?? "");
    if (!part || /chartsheets\//.test(part.path)) continue;
    const rows = () => readXlsxRows(part, { strings, styles, date_system });
    sheets.push({ name, is_hidden, rows });
  }
  return sheets;
}

function open(part: FileEntry | undefined): AsyncIterable<Uint8Array> {
  return part?.open() ?? (async function* () {})();
}

/** The parts of the workbook by relationship id. */
async function readTargets(parts: Files): Promise<ReadonlyMap<string, string>> {
  const targets = new Map<string, string>();
  await readXml(open(await parts.find("xl/_rels/workbook.xml.rels")), {
    open(name, { Id, Target }) {
      if (name !== "Relationship" || Id === undefined || Target === undefined) return;
      targets.set(Id, Target.startsWith("/") ? Target.slice(1) : `xl/${Target}`);
    },
  });
  return targets;
}

interface Tab {
  readonly name: string;
  readonly id: string;
  readonly is_hidden: boolean;
}

const SHEETS_MAX = 10_000;

async function readTabs(parts: Files): Promise<{ tabs: readonly Tab[]; date_system: 1900 | 1904 }> {
  const tabs: Tab[] = [];
  let date_system: 1900 | 1904 = 1900;
  await readXml(open(await parts.find("xl/workbook.xml")), {
    open(name, attributes) {
      if (name === "workbookPr" && /^(?:1|true)$/.test(attributes.date1904 ?? "")) date_system = 1904;
      if (name !== "sheet" || tabs.length >= SHEETS_MAX) return;
      const id = Object.entries(attributes).find(([key]) => key.endsWith(":id"))?.[1] ?? "";
      tabs.push({ name: attributes.name ?? "", id, is_hidden: /hidden/i.test(attributes.state ?? "") });
    },
  });
  return { tabs, date_system };
}

/** What each cell style shows, by its number. */
async function readStyles(parts: Files): Promise<readonly (DateForm | undefined)[]> {
  const codes = new Map<number, string>();
  const styles: (DateForm | undefined)[] = [];
  let is_inside = false;
  await readXml(open(await parts.find("xl/styles.xml")), {
    open(name, { numFmtId, formatCode = "" }) {
      if (name === "numFmt") codes.set(Number(numFmtId), formatCode);
      if (name === "cellXfs") is_inside = true;
      if (name !== "xf" || !is_inside) return;
      const code = codes.get(Number(numFmtId));
      styles.push(code === undefined ? readBuiltInFormat(Number(numFmtId)) : readFormatCode(code));
    },
    close(name) {
      if (name === "cellXfs") is_inside = false;
    },
  });
  return styles;
}
