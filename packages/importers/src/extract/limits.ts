/** What one document may take. */
export interface ExtractionLimits {
  /** For one document; its process is ended after it. */
  readonly time_ms: number;
  /** Of the process that reads, all in all; it is ended above. */
  readonly memory_bytes: number;
  readonly input_bytes: number;
  /** Pages that are read; the text says when there were more. */
  readonly pages: number;
  /** UTF-16 units of text that are kept. */
  readonly text_chars: number;
  /** What the parts of a packed document may come to. */
  readonly unpacked_bytes: number;
}

const MIB = 1024 ** 2;

/** Generous for what people keep, and far from what a machine cannot bear. */
export const EXTRACTION_LIMITS: ExtractionLimits = {
  time_ms: 60_000,
  memory_bytes: 768 * MIB,
  input_bytes: 128 * MIB,
  pages: 5000,
  text_chars: 32 * MIB,
  unpacked_bytes: 128 * MIB,
};
