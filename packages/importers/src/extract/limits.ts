/** Limits for one document. */
export interface ExtractionLimits {
  /** Per document; then its process is killed. */
  readonly time_ms: number;
  /** Of the reading process in total; above it the process is killed. */
  readonly memory_bytes: number;
  readonly input_bytes: number;
  /** Pages to read; `cut` says if there were more. */
  readonly pages: number;
  /** UTF-16 units of text to keep. */
  readonly text_chars: number;
  /** The unpacked size of a zipped document. */
  readonly unpacked_bytes: number;
  /** Pages of a document to read by OCR, where the owner asked for it. */
  readonly ocr_pages: number;
  /** Per picture; then it stays without text. */
  readonly ocr_page_ms: number;
  /** Of OCR per document; the pages that follow stay without text. */
  readonly ocr_ms: number;
}

const MIB = 1024 ** 2;

/** Generous for real documents, and safe for a small machine. */
export const EXTRACTION_LIMITS: ExtractionLimits = {
  time_ms: 60_000,
  memory_bytes: 768 * MIB,
  input_bytes: 128 * MIB,
  pages: 5000,
  text_chars: 32 * MIB,
  unpacked_bytes: 128 * MIB,
  ocr_pages: 500,
  ocr_page_ms: 30_000,
  ocr_ms: 15 * 60_000,
};
