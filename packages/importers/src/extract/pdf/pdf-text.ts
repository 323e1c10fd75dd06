import { parseTimeMs } from "@rungs/contract";
import { countChars } from "@rungs/evidence";
import { getDocumentProxy } from "unpdf";
import { cleanText } from "../../clean-text.ts";
import type { Extraction, OcrNote } from "../extraction.ts";
import type { ExtractionLimits } from "../limits.ts";
import { describeOcr, type OcrReading, readPagePictures } from "../ocr/read-pictures.ts";
import type { Recogniser } from "../ocr/recogniser.ts";
import { createDataFactory } from "../pdf-cmaps.ts";
import { isDrawn, listAnnotationTexts, listShown } from "./annotations.ts";
import { readAppearances } from "./appearances.ts";
import { readGlyphNames } from "./glyph-names.ts";
import { isUnknown, joinBrokenWords, joinItems } from "./page-text.ts";
import { listPicturePages } from "./pictures.ts";

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
  // The names of glyphs, for fonts that do not say which characters they show.
  fontExtraProperties: true,
  // pdf.js requests character maps only if a URL is set; the factory knows the real place.
  cMapUrl: "cmaps/",
} as const;

/** Extracts the text of a PDF, page by page. An unreadable page is empty; a document of unreadable pages fails. */
export async function extractPdf(
  bytes: Uint8Array,
  limits: ExtractionLimits,
  ocr?: Recogniser,
): Promise<Extraction> {
  let missing_maps = 0;
  const BinaryDataFactory = createDataFactory(() => {
    missing_maps += 1;
  });
  const options = { ...QUIET, BinaryDataFactory };
  const pdf = await getDocumentProxy(bytes, options);
  try {
    const info = await readInfo(pdf);
    const { texts, unread, textless, ...limit } = await readPages(pdf, limits);
    const pictures = await listPicturePages(pdf, textless, options);
    const read =
      ocr && pictures.length > 0
        ? await readPagePictures(await pdf.getData(), pictures, options, { ocr, limits })
        : undefined;
    for (const [number, text] of read?.texts ?? []) texts[number - 1] = text;
    const pages = joinPages(texts);
    const losses = {
      unread,
      pictures: pictures.length - (read?.texts.size ?? 0),
      ocr: read && ocr && { limit: read.limit, languages: ocr.languages },
      missing_maps,
      is_unknown: isUnknown(pages.text),
    };
    const missing = describeMissing(losses, pdf.numPages);
    return {
      kind: "text",
      ...pages,
      ...limit,
      page_count: pdf.numPages,
      ...info,
      ...(missing ? { missing } : {}),
      ...(read && ocr && read.texts.size > 0 ? { ocr: noteOcr(ocr, read, pdf.numPages) } : {}),
    };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

interface Losses {
  /** Pages that could not be read. */
  readonly unread: number;
  /** Pages that show pictures and have no text. */
  readonly pictures: number;
  /** Set if OCR ran: its languages, and the limit that stopped it. */
  readonly ocr: { readonly limit: string | undefined; readonly languages: string } | undefined;
  readonly missing_maps: number;
  /** Whether fonts lack the characters of their glyphs. */
  readonly is_unknown: boolean;
}

const ADD_LAYER =
  "Import the file again with --ocr LANG, or add a text layer with a program such as OCRmyPDF.";

function noteOcr(ocr: Recogniser, { texts, confidence }: OcrReading, page_count: number): OcrNote {
  return { confidence, about: describeOcr(ocr, confidence, `${texts.size} of ${page_count} pages`) };
}

function describePictures({ pictures, ocr }: Losses, page_count: number): string {
  const pages = `${pictures} of ${page_count} pages`;
  if (!ocr) return `${pages} have no text layer, only pictures. ${ADD_LAYER}`;
  const { limit, languages } = ocr;
  return limit === undefined
    ? `${pages} show only pictures, in which OCR (${languages}) found no text.`
    : `${pages} show only pictures and were not read: OCR ended at its limit of ${limit}.`;
}

function describeMissing(losses: Losses, page_count: number): string | undefined {
  const { unread, pictures, missing_maps, is_unknown } = losses;
  const problems = [
    unread > 0 && `${unread} of ${page_count} pages could not be read.`,
    pictures > 0 && describePictures(losses, page_count),
    missing_maps > 0 && "A character map that some of its text needs is missing from this installation.",
    is_unknown && "Some of its fonts do not say which characters they show.",
  ];
  return problems.filter((problem) => problem !== false).join(" ") || undefined;
}

interface Pages {
  /** The texts of the pages that were read, in order. */
  readonly texts: string[];
  readonly unread: number;
  /** The numbers of pages without text. */
  readonly textless: readonly number[];
  readonly cut?: string;
}

async function readPages(pdf: Pdf, limits: ExtractionLimits): Promise<Pages> {
  const texts: string[] = [];
  const textless: number[] = [];
  let [units, unread] = [0, 0];
  let broken: unknown;
  let cut: string | undefined;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    cut = number > limits.pages ? "pages" : units > limits.text_chars ? "text_chars" : undefined;
    if (cut !== undefined) break;
    const text = await readPage(pdf, number).catch((error: unknown) => {
      broken = error;
      unread += 1;
      return undefined;
    });
    if (text === "") textless.push(number);
    texts.push(text ?? "");
    units += text?.length ?? 0;
  }
  if (broken !== undefined && texts.every((text) => text.trim() === "")) throw broken;
  return { texts, unread, textless, ...(cut === undefined ? {} : { cut }) };
}

const PAGE_END = "\n\n";

function joinPages(pages: readonly string[]): { text: string; page_starts: number[] } {
  const texts = joinBrokenWords(pages);
  const page_starts: number[] = [];
  let start_chars = 0;
  for (const text of texts) {
    page_starts.push(start_chars);
    start_chars += countChars(text) + PAGE_END.length;
  }
  return { text: texts.join(PAGE_END), page_starts };
}

/** The text of a page, then that of its annotations. */
async function readPage(pdf: Pdf, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  try {
    const { items } = await page.getTextContent();
    const content = joinItems(items, await readGlyphNames(page, items)).trimEnd();
    const annotations = listShown(await page.getAnnotations());
    const drawn = annotations.some(isDrawn) ? await readAppearances(page) : new Map<string, string>();
    const added = listAnnotationTexts(annotations, drawn);
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
