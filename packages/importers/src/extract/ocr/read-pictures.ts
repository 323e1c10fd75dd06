/** The text that OCR finds on the pages of a PDF and in picture files. */
import { getDocumentProxy } from "unpdf";
import type { Extraction } from "../extraction.ts";
import type { ExtractionLimits } from "../limits.ts";
import { drawPictures } from "./page-picture.ts";
import type { RecognisedText, Recogniser } from "./recogniser.ts";

/** What OCR read of some pages. */
export interface OcrReading {
  /** The texts by page number. */
  readonly texts: ReadonlyMap<number, string>;
  /** The average confidence of the program, weighted by length, 0 to 100. */
  readonly confidence: number;
  /** The limit that stopped it, if any. */
  readonly limit?: string;
}

/** The maximum size of a page picture. */
const PICTURE_MAX_PIXELS = 40_000_000;

/** Reads the pictures of pages of a PDF. A page that cannot be drawn or read stays without text. */
export async function readPagePictures(
  bytes: Uint8Array,
  pages: readonly number[],
  options: object,
  { ocr, limits }: { readonly ocr: Recogniser; readonly limits: ExtractionLimits },
): Promise<OcrReading> {
  const pdf = await getDocumentProxy(bytes, { ...options, maxImageSize: PICTURE_MAX_PIXELS });
  const found = new Map<number, RecognisedText>();
  const until = performance.now() + limits.ocr_ms;
  let limit: string | undefined;
  try {
    for (const [at, number] of pages.entries()) {
      if (at >= limits.ocr_pages) limit = `${limits.ocr_pages} pages`;
      if (performance.now() > until) limit = `${limits.ocr_ms / 1000} seconds`;
      if (limit !== undefined) break;
      const page = await pdf.getPage(number);
      const read = await drawPictures(page)
        .then((picture) => picture && ocr.recognise(picture))
        .catch(() => undefined);
      page.cleanup();
      if (read) found.set(number, read);
    }
  } finally {
    await pdf.loadingTask.destroy();
  }
  const texts = new Map([...found].map(([number, { text }]) => [number, text]));
  return { texts, confidence: averageConfidence([...found.values()]), ...(limit ? { limit } : {}) };
}

/** The text in a picture file. */
export async function extractPicture(bytes: Uint8Array, ocr: Recogniser): Promise<Extraction> {
  const read = await ocr.recognise(bytes);
  if (!read)
    return { kind: "text", text: "", missing: `OCR (${ocr.languages}) found no text in the picture.` };
  const confidence = averageConfidence([read]);
  return { kind: "text", text: read.text, ocr: { confidence, about: describeOcr(ocr, confidence) } };
}

/** A caveat about text from OCR, in a sentence. */
export function describeOcr({ languages }: Recogniser, confidence: number, pages = ""): string {
  return `${pages === "" ? "Its text was" : `${pages} were`} read from pictures by OCR (${languages}), with a confidence of ${confidence} of 100: it may have errors.`;
}

function averageConfidence(texts: readonly RecognisedText[]): number {
  const length = texts.reduce((sum, { text }) => sum + text.length, 0);
  return Math.round(
    texts.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / Math.max(1, length),
  );
}
