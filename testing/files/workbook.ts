/** Workbooks for tests: XLSX (ECMA-376) and ODS (ODF 1.3), and the XML of their cells. */
import { createZip } from "./zip.ts";

/** A sheet by the XML inside its `sheetData`, or inside its `table:table`. */
export interface FixtureSheet {
  readonly name: string;
  readonly rows: string;
  readonly is_hidden?: boolean;
  /** XML after the rows, such as merged cells. */
  readonly after?: string;
}

/** The parts of a workbook besides its sheets. */
export interface FixtureWorkbook {
  readonly strings?: readonly string[];
  /** The format codes of the cell styles from 1 on; style 0 is plain. */
  readonly formats?: readonly string[];
  readonly date1904?: boolean;
}

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";

/** Writes an XLSX workbook. */
export function makeXlsx(
  sheets: readonly FixtureSheet[],
  { strings = [], formats = [], date1904 = false }: FixtureWorkbook = {},
): Uint8Array {
  const tabs = sheets.map(
    ({ name, is_hidden }, at) =>
      `<sheet name="${name}" sheetId="${at + 1}"${is_hidden ? ' state="hidden"' : ""} r:id="rId${at + 1}"/>`,
  );
  const relations = sheets.map(
    (_, at) =>
      `<Relationship Id="rId${at + 1}" Type="${RELATION}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
  );
  const codes = formats.map((code, at) => `<numFmt numFmtId="${at + 200}" formatCode="${escapeXml(code)}"/>`);
  const styles = formats.map((_, at) => `<xf numFmtId="${at + 200}"/>`);
  const part = (path: string, content: string) => ({
    path,
    content: `<?xml version="1.0" encoding="UTF-8"?>${content}`,
    packed: true,
  });
  return createZip([
    part("[Content_Types].xml", `<Types xmlns="${PACKAGE}/content-types"/>`),
    part(
      "xl/workbook.xml",
      `<workbook ${MAIN} xmlns:r="${RELATION}"><workbookPr${date1904 ? ' date1904="1"' : ""}/><sheets>${tabs.join("")}</sheets></workbook>`,
    ),
    part(
      "xl/_rels/workbook.xml.rels",
      `<Relationships xmlns="${PACKAGE}/relationships">${relations.join("")}</Relationships>`,
    ),
    part(
      "xl/styles.xml",
      `<styleSheet ${MAIN}><numFmts>${codes.join("")}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles.join("")}</cellXfs></styleSheet>`,
    ),
    part(
      "xl/sharedStrings.xml",
      `<sst ${MAIN}>${strings.map((text) => (text.startsWith("<") ? text : `<si><t>${escapeXml(text)}</t></si>`)).join("")}</sst>`,
    ),
    ...sheets.map(({ rows, after = "" }, at) =>
      part(
        `xl/worksheets/sheet${at + 1}.xml`,
        `<worksheet ${MAIN}><sheetData>${rows}</sheetData>${after}</worksheet>`,
      ),
    ),
  ]);
}

/** A row of an XLSX sheet with texts and numbers, as written without shared strings. */
export function xlsxRow(cells: readonly (string | number)[]): string {
  const written = cells.map((cell) =>
    typeof cell === "number"
      ? `<c><v>${cell}</v></c>`
      : `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`,
  );
  return `<row>${written.join("")}</row>`;
}

/** Writes an ODS workbook. */
export function makeOds(sheets: readonly FixtureSheet[]): Uint8Array {
  const tables = sheets.map(
    ({ name, rows, is_hidden }) =>
      `<table:table table:name="${name}" table:style-name="${is_hidden ? "ta2" : "ta1"}">${rows}</table:table>`,
  );
  const styles =
    '<style:style style:name="ta1"><style:table-properties table:display="true"/></style:style><style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>';
  const content = `<?xml version="1.0"?><office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet>${tables.join("")}</office:spreadsheet></office:body></office:document-content>`;
  return createZip([
    { path: "mimetype", content: "application/vnd.oasis.opendocument.spreadsheet" },
    { path: "content.xml", content, packed: true },
  ]);
}

/** Escapes text for XML. */
function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
