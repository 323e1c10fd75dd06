import { parseTimeMs } from "@rungs/contract";
import { countChars } from "@rungs/evidence";
import { getDocumentProxy } from "unpdf";
import { cleanText } from "../clean-text.ts";
import type { Extraction } from "./extraction.ts";
import type { ExtractionLimits } from "./limits.ts";

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Text only: no system fonts, images, forms, compiled code or log output. */
const QUIET = {
  verbosity: 0,
  useSystemFonts: false,
  disableFontFace: true,
  useWorkerFetch: false,
  useWasm: false,
  isOffscreenCanvasSupported: false,
  isImageDecoderSupported: false,
  maxImageSize: 1,
  enableXfa: false,
} as const;

/** Extracts the text of a PDF, page by page. An unreadable page is empty; a document of unreadable pages fails. */
export async function extractPdf(bytes: Uint8Array, limits: ExtractionLimits): Promise<Extraction> {
  const pdf = await getDocumentProxy(bytes, QUIET);
  try {
    const info = await readInfo(pdf);
    return { kind: "text", ...(await readPages(pdf, limits)), page_count: pdf.numPages, ...info };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

interface Pages {
  readonly text: string;
  readonly page_starts: readonly number[];
  readonly cut?: string;
}

async function readPages(pdf: Pdf, limits: ExtractionLimits): Promise<Pages> {
  const texts: string[] = [];
  const page_starts: number[] = [];
  let start_chars = 0;
  let units = 0;
  let broken: unknown;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const cut = number > limits.pages ? "pages" : units > limits.text_chars ? "text_chars" : undefined;
    if (cut !== undefined) return { text: texts.join(""), page_starts, cut };
    const text = await readPage(pdf, number).catch((error: unknown) => {
      broken = error;
      return "";
    });
    page_starts.push(start_chars);
    const page = number === pdf.numPages ? text : `${text}\n\n`;
    texts.push(page);
    start_chars += countChars(page);
    units += page.length;
  }
  if (broken !== undefined && texts.every((text) => text.trim() === "")) throw broken;
  return { text: texts.join(""), page_starts };
}

async function readPage(pdf: Pdf, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  try {
    const { items } = await page.getTextContent();
    const pieces = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : ""));
    return cleanText(pieces.join("")).trimEnd();
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
