import type { OutlookMessage } from "../outlook/outlook-message.ts";

/** A document to extract text from. */
export interface ExtractionRequest {
  readonly bytes: Uint8Array;
  /** As claimed; the content decides. */
  readonly mime_type?: string | undefined;
  readonly file_name?: string | undefined;
}

/** The text of a document, or why there is none. */
export type Extraction =
  | {
      readonly kind: "text";
      readonly text: string;
      readonly title?: string | undefined;
      /** The start of each page in `text`, in code points; only for formats with pages. */
      readonly page_starts?: readonly number[] | undefined;
      /** The number of pages in the document, read or not. */
      readonly page_count?: number | undefined;
      /** When the document was created, by its own metadata: RFC 3339. */
      readonly created_at?: string | undefined;
      /** The targets of its links. */
      readonly links?: readonly string[] | undefined;
      /** Hidden text of the document; never part of `text`. */
      readonly hidden?: string | undefined;
      /** A sentence on what the document shows and `text` lacks. */
      readonly missing?: string | undefined;
      /** A sentence on why `text` may have wrong characters. */
      readonly uncertain?: string | undefined;
      /** Set if `text`, or part of it, was read from pictures. */
      readonly ocr?: OcrNote | undefined;
      /** The message of an MSG file, for the mail importer. */
      readonly message?: OutlookMessage | undefined;
      /** The limit that cut the text, if any. */
      readonly cut?: string | undefined;
    }
  /** `unsupported`: such files have no text. `failed`: the text could not be read. */
  | { readonly kind: "unsupported" | "failed"; readonly reason: string };

/** How text was read from pictures. */
export interface OcrNote {
  /** The average confidence of the program, 0 to 100. */
  readonly confidence: number;
  /** A caveat for readers, in a sentence. */
  readonly about: string;
}

/** How much of a document's text was read, from all to nothing. */
export const TEXT_STATUSES = [
  "complete",
  "ocr",
  "partial",
  "no_text",
  "cut",
  "unsupported",
  "failed",
] as const;

/** The fields that say how much of a document's text was read. */
export interface TextStatus {
  readonly text_status: (typeof TEXT_STATUSES)[number];
  readonly text_problem?: string;
}

/** `complete` only if nothing is missing and nothing was read from pictures; the problem may still be that characters are uncertain. */
export function describeStatus(extraction: Extraction): TextStatus {
  if (extraction.kind !== "text") return { text_status: extraction.kind, text_problem: extraction.reason };
  const { text, cut, missing, uncertain, ocr } = extraction;
  const problem = joinSentences(cut && `Cut at a limit: ${cut}.`, missing, uncertain, ocr?.about);
  const text_problem = problem === undefined ? {} : { text_problem: problem };
  if (cut !== undefined) return { text_status: "cut", ...text_problem };
  if (missing !== undefined)
    return { text_status: text.trim() === "" ? "no_text" : "partial", ...text_problem };
  return { text_status: ocr === undefined ? "complete" : "ocr", ...text_problem };
}

/** All caveats about the text, in one paragraph; undefined if there are none. */
function joinSentences(...sentences: readonly (string | undefined)[]): string | undefined {
  return sentences.filter((sentence) => sentence !== undefined && sentence !== "").join(" ") || undefined;
}
