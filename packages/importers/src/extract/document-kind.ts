import { detectUtf16 } from "./decode-text.ts";
import type { ExtractionRequest } from "./extraction.ts";
import { listOleNames } from "./ole-file.ts";

/** The kind of a file, by its bytes; the name only distinguishes kinds of text. */
export interface DocumentKind {
  readonly kind:
    | "pdf"
    | "docx"
    | "odt"
    | "pptx"
    | "epub"
    | "sheet"
    | "doc"
    | "msg"
    | "rtf"
    | "html"
    | "text"
    | "other";
  readonly mime_type: string;
}

const HEAD_BYTES = 8192;

/** The types of pictures that OCR can read. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Whether a file is a picture that OCR can read. */
export function isPicture({ mime_type }: DocumentKind): boolean {
  return PICTURES.has(mime_type);
}

/** Whether text can be read from a file of this kind; from pictures only by OCR. */
export function hasText(
  { reads_pictures = false }: { readonly reads_pictures?: boolean | undefined },
  kind: DocumentKind,
): boolean {
  return kind.kind !== "other" || (reads_pictures && isPicture(kind));
}

/** The media type of an MSG file. */
const MSG_TYPE = "application/vnd.ms-outlook";

/** The media type of an OLE2 file of unknown content: its first bytes may not show what it holds. */
const OLE_TYPE = "application/x-ole-storage";

/** The media type of archives that are not read: 7z, RAR, XZ, bzip2, Zstandard. */
export const ARCHIVE_TYPE = "application/x-other-archive";

/** Whether the kind needs the whole file, because its list of parts may be anywhere. */
export function needsWholeFile({ mime_type }: DocumentKind): boolean {
  return mime_type === "application/zip" || mime_type === OLE_TYPE;
}

/** Detects the kind of a file; its first bytes are enough for all but archives. */
export function detectKind({ bytes, mime_type, file_name }: ExtractionRequest): DocumentKind {
  const head = bytes.subarray(0, HEAD_BYTES);
  const latin = Buffer.from(head.buffer, head.byteOffset, head.length).toString("latin1");
  const signed = signatures.find(({ sign, at = 0 }) => latin.startsWith(sign, at))?.is;
  if (signed === "zip") return archiveKind(bytes);
  if (signed === "ole") return oleKind(bytes);
  if (signed) return signed;
  if (LATE_PDF.test(latin.slice(0, 1024))) return PDF;
  if (SVG.test(latin)) return other("image/svg+xml");
  return isText(head)
    ? textKind(latin, mime_type, file_name)
    : other(mime_type ?? "application/octet-stream");
}

const PDF: DocumentKind = { kind: "pdf", mime_type: "application/pdf" };
/** Readers accept up to 1024 bytes before a PDF (ISO 32000-1, annex H.3.4.1). */
const LATE_PDF = /[\r\n]%PDF-\d\.\d/;
const SVG = /^\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--[\s\S]{0,1000}?-->\s*)?<svg[\s>]/i;

const other = (mime_type: string): DocumentKind => ({ kind: "other", mime_type });

/** File signatures as Latin-1; `at` is the offset if it is not 0. */
const signatures: readonly {
  readonly sign: string;
  readonly at?: number;
  readonly is: DocumentKind | "zip" | "ole";
}[] = [
  { sign: "%PDF-", is: PDF },
  { sign: "PK\x03\x04", is: "zip" },
  { sign: "\x89PNG\r\n\x1a\n", is: other("image/png") },
  { sign: "\xff\xd8\xff", is: other("image/jpeg") },
  { sign: "GIF8", is: other("image/gif") },
  { sign: "WEBP", at: 8, is: other("image/webp") },
  { sign: "ftyphei", at: 4, is: other("image/heic") },
  { sign: "ftypM4A", at: 4, is: other("audio/mp4") },
  { sign: "ftyp", at: 4, is: other("video/mp4") },
  { sign: "ID3", is: other("audio/mpeg") },
  { sign: "OggS", is: other("audio/ogg") },
  { sign: "\x1f\x8b", is: other("application/gzip") },
  { sign: "7z\xbc\xaf\x27\x1c", is: other(ARCHIVE_TYPE) },
  { sign: "Rar!\x1a\x07", is: other(ARCHIVE_TYPE) },
  { sign: "\xfd7zXZ\0", is: other(ARCHIVE_TYPE) },
  { sign: "1AY&SY", at: 4, is: other(ARCHIVE_TYPE) },
  { sign: "\x28\xb5\x2f\xfd", is: other(ARCHIVE_TYPE) },
  { sign: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", is: "ole" },
  { sign: "{\\rtf", is: { kind: "rtf", mime_type: "application/rtf" } },
  { sign: "SQLite format 3\0", is: other("application/vnd.sqlite3") },
];

const OFFICE = "application/vnd.openxmlformats-officedocument";

/** Names in a zip are not compressed. */
const archives: readonly (readonly [string, DocumentKind])[] = [
  ["word/document", { kind: "docx", mime_type: `${OFFICE}.wordprocessingml.document` }],
  ["xl/workbook.xml", { kind: "sheet", mime_type: `${OFFICE}.spreadsheetml.sheet` }],
  ["ppt/presentation.xml", { kind: "pptx", mime_type: `${OFFICE}.presentationml.presentation` }],
  [
    "application/vnd.oasis.opendocument.text",
    { kind: "odt", mime_type: "application/vnd.oasis.opendocument.text" },
  ],
  [
    "application/vnd.oasis.opendocument.spreadsheet",
    { kind: "sheet", mime_type: "application/vnd.oasis.opendocument.spreadsheet" },
  ],
  ["application/epub+zip", { kind: "epub", mime_type: "application/epub+zip" }],
];

function archiveKind(bytes: Uint8Array): DocumentKind {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return archives.find(([name]) => buffer.includes(name))?.[1] ?? other("application/zip");
}

/** By a stream or storage at the root of an OLE2 file. */
const oleKinds: readonly (readonly [string, DocumentKind])[] = [
  ["EncryptedPackage", other("application/x-encrypted-office")],
  ["__properties_version1.0", { kind: "msg", mime_type: MSG_TYPE }],
  ["WordDocument", { kind: "doc", mime_type: "application/msword" }],
  ["Workbook", other("application/vnd.ms-excel")],
  ["Book", other("application/vnd.ms-excel")],
  ["PowerPoint Document", other("application/vnd.ms-powerpoint")],
];

function oleKind(bytes: Uint8Array): DocumentKind {
  const names = new Set([...listOleNames(bytes)].map((name) => name.toLowerCase()));
  return oleKinds.find(([name]) => names.has(name.toLowerCase()))?.[1] ?? other(OLE_TYPE);
}

const MAX_CONTROL_SHARE = 0.02;
/** Control characters that occur in text: tab, line feed, form feed, carriage return, escape. */
const TEXT_CONTROLS = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);

function isText(head: Uint8Array): boolean {
  if (detectUtf16(head)) return true;
  if (head.includes(0)) return false;
  const controls = head.filter((byte) => byte < 0x20 && !TEXT_CONTROLS.has(byte)).length;
  return controls <= head.length * MAX_CONTROL_SHARE;
}

const HTML_START =
  /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--[\s\S]{0,1000}?-->\s*)*<(?:!doctype\s+html|html|head|body)[\s>]/i;

const typesByExtension: Readonly<Record<string, string>> = {
  md: "text/markdown",
  markdown: "text/markdown",
  html: "text/html",
  htm: "text/html",
  xhtml: "text/html",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  json: "application/json",
  jsonl: "application/jsonl",
  xml: "application/xml",
  ics: "text/calendar",
  vcf: "text/vcard",
};

function textKind(latin: string, claimed: string | undefined, file_name = ""): DocumentKind {
  const extension = /\.([a-z0-9]+)$/i.exec(file_name)?.[1]?.toLowerCase() ?? "";
  const named = claimed?.split(";")[0]?.trim().toLowerCase() || typesByExtension[extension];
  if (HTML_START.test(latin) || named === "text/html") return { kind: "html", mime_type: "text/html" };
  return { kind: "text", mime_type: named?.startsWith("text/") || isTextType(named) ? named! : "text/plain" };
}

function isTextType(named: string | undefined): boolean {
  return Object.values(typesByExtension).includes(named ?? "");
}
