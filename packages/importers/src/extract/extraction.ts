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
      /** Text that the document hides from readers; never part of `text`. */
      readonly hidden?: string | undefined;
      /** What the document shows and `text` lacks: a sentence. */
      readonly missing?: string | undefined;
      /** Why `text` may have wrong characters: a sentence. */
      readonly uncertain?: string | undefined;
      /** The message of an MSG file, for the mail importer. */
      readonly message?: OutlookMessage | undefined;
      /** The limit that cut the text, if any. */
      readonly cut?: string | undefined;
    }
  /** `unsupported`: such files have no text. `failed`: the text could not be read. */
  | { readonly kind: "unsupported" | "failed"; readonly reason: string };

/** The fields that say how much of a document's text was read. */
export interface TextStatus {
  readonly text_status: "complete" | "partial" | "no_text" | "cut" | "unsupported" | "failed";
  readonly text_problem?: string;
}

/** `complete` only if nothing is missing; the problem may still be that characters are uncertain. */
export function describeStatus(extraction: Extraction): TextStatus {
  if (extraction.kind !== "text") return { text_status: extraction.kind, text_problem: extraction.reason };
  const { text, cut, missing, uncertain } = extraction;
  if (cut !== undefined) return { text_status: "cut", text_problem: `Cut at a limit: ${cut}.` };
  if (missing === undefined) {
    return { text_status: "complete", ...(uncertain === undefined ? {} : { text_problem: uncertain }) };
  }
  return { text_status: text.trim() === "" ? "no_text" : "partial", text_problem: missing };
}
