/** A document whose text is wanted. */
export interface ExtractionRequest {
  readonly bytes: Uint8Array;
  /** As the file claims; the content decides. */
  readonly mime_type?: string | undefined;
  readonly file_name?: string | undefined;
}

/** The text of a document, or why there is none. */
export type Extraction =
  | {
      readonly kind: "text";
      readonly text: string;
      readonly title?: string | undefined;
      /** Where each page begins in `text`, in code points; only for formats that have pages. */
      readonly page_starts?: readonly number[] | undefined;
      /** How many pages the document has, read or not. */
      readonly page_count?: number | undefined;
      /** When the document says that it was made: RFC 3339. */
      readonly created_at?: string | undefined;
      /** Where its links lead. */
      readonly links?: readonly string[] | undefined;
      /** Text that is kept from a reader's eyes; never part of `text`. */
      readonly hidden?: string | undefined;
      /** Set when a limit cut the text: which limit. */
      readonly cut?: string | undefined;
    }
  /** `unsupported`: no text is expected of this kind of file. `failed`: there should have been some. */
  | { readonly kind: "unsupported" | "failed"; readonly reason: string };
