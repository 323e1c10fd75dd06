import { parseTimeMs } from "@rungs/contract";
import { countChars } from "@rungs/evidence";
import { getDocumentProxy } from "unpdf";
import { cleanText } from "../clean-text.ts";
import type { Extraction } from "./extraction.ts";
import type { ExtractionLimits } from "./limits.ts";
import { listAnnotationTexts } from "./pdf-annotations.ts";
import { createDataFactory } from "./pdf-cmaps.ts";
import { countPicturePages } from "./pdf-pictures.ts";

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Text only: no system fonts, images, XFA forms, compiled code or log output. */
const QUIET = {
  verbosity: 0,
  useSystemFonts: false,
  disableFontFace: true,
  useWorkerFetch: false,
  useWasm: false,
  isOffscreenCanvasSupported: false,
  isImageDecoderSupported: false,
  maxImageSize: 0,
  enableXfa: false,
  // pdf.js asks for character maps only if there is an address; the factory knows where they are.
  cMapUrl: "cmaps/",
} as const;

/** Extracts the text of a PDF, page by page. An unreadable page is empty; a document of unreadable pages fails. */
export async function extractPdf(bytes: Uint8Array, limits: ExtractionLimits): Promise<Extraction> {
  let missing_maps = 0;
  const BinaryDataFactory = createDataFactory(() => {
    missing_maps += 1;
  });
  const options = { ...QUIET, BinaryDataFactory };
  const pdf = await getDocumentProxy(bytes, options);
  try {
    const info = await readInfo(pdf);
    const { unread, textless, ...pages } = await readPages(pdf, limits);
    const pictures = await countPicturePages(pdf, textless, options);
    const missing = describeMissing({ unread, pictures, missing_maps, page_count: pdf.numPages });
    return { kind: "text", ...pages, page_count: pdf.numPages, ...info, ...(missing ? { missing } : {}) };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

interface Losses {
  /** Pages that could not be read. */
  readonly unread: number;
  /** Pages that show pictures and have no text. */
  readonly pictures: number;
  readonly missing_maps: number;
  readonly page_count: number;
}

function describeMissing({ unread, pictures, missing_maps, page_count }: Losses): string | undefined {
  const problems = [
    unread > 0 && `${unread} of ${page_count} pages could not be read.`,
    pictures > 0 && `${pictures} of ${page_count} pages have no text layer, only pictures.`,
    missing_maps > 0 && "A character map that some of its text needs is missing from this installation.",
  ];
  return problems.filter((problem) => problem !== false).join(" ") || undefined;
}

interface Pages {
  readonly text: string;
  readonly page_starts: readonly number[];
  readonly unread: number;
  /** The numbers of pages without text. */
  readonly textless: readonly number[];
  readonly cut?: string;
}

async function readPages(pdf: Pdf, limits: ExtractionLimits): Promise<Pages> {
  const texts: string[] = [];
  const page_starts: number[] = [];
  const textless: number[] = [];
  let [start_chars, units, unread] = [0, 0, 0];
  let broken: unknown;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const cut = number > limits.pages ? "pages" : units > limits.text_chars ? "text_chars" : undefined;
    if (cut !== undefined) return { text: texts.join(""), page_starts, unread, textless, cut };
    const text = await readPage(pdf, number).catch((error: unknown) => {
      broken = error;
      unread += 1;
      return undefined;
    });
    if (text === "") textless.push(number);
    page_starts.push(start_chars);
    const page = (text ?? "") + (number === pdf.numPages ? "" : "\n\n");
    texts.push(page);
    start_chars += countChars(page);
    units += page.length;
  }
  if (broken !== undefined && texts.every((text) => text.trim() === "")) throw broken;
  return { text: texts.join(""), page_starts, unread, textless };
}

/** The text of a page, then that of its annotations. */
async function readPage(pdf: Pdf, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  try {
    const { items } = await page.getTextContent();
    const pieces = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : ""));
    const content = cleanText(pieces.join("")).trimEnd();
    const added = listAnnotationTexts(await page.getAnnotations());
    return [content, ...added].filter((part) => part !== "").join("\n");
  } finally {
    page.cleanup();
  }
}

/** The metadata of the document; a failure here does not affect the text. */
async function readInfo(pdf: Pdf): Promise<{ title?: string; created_at?: string }> {
  const info: Record<string, unknown> = await pdf.getMetadata().then(
    (metadata) => ({ ...metadata.info }),
    () => ({}),
  );
  const title = typeof info.Title === "string" ? cleanText(info.Title).trim() : "";
  const created_at = typeof info.CreationDate === "string" ? parsePdfDate(info.CreationDate) : undefined;
  return { ...(title === "" ? {} : { title }), ...(created_at === undefined ? {} : { created_at }) };
}

const DATE = /^D:(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:Z|([+-])(\d{2})'?(\d{2})?'?)?/;

/** Parses a PDF date (ISO 32000-1 §7.9.4) into RFC 3339; a date without an offset is read as UTC. */
function parsePdfDate(text: string): string | undefined {
  const [
    whole,
    year,
    month = "01",
    day = "01",
    hour = "00",
    minute = "00",
    second = "00",
    sign,
    hours,
    minutes,
  ] = DATE.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const offset = sign === undefined ? "Z" : `${sign}${hours}:${minutes ?? "00"}`;
  const time = `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`;
  return parseTimeMs(time) === undefined ? undefined : time;
}
