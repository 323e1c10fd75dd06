import { analyse } from "chardet";

const SAMPLE_BYTES = 64 * 1024;
/** Below this confidence, the detector errs on short texts; above it, it is nearly always right. */
const MIN_CONFIDENCE = 40;

/** Guesses the charset of text that is not UTF-8 by its letters and byte pairs; undefined if nothing is likely enough. */
export function guessCharset(bytes: Uint8Array): string | undefined {
  const start = bytes.findIndex((byte) => byte >= 0x80);
  if (start < 0) return undefined;
  const sample = bytes.subarray(start, start + SAMPLE_BYTES);
  const [best] = analyse(sample);
  return best && best.confidence >= MIN_CONFIDENCE && decodes(sample, best.name)
    ? best.name.toLowerCase()
    : undefined;
}

/** The sample may end within a character. */
function decodes(sample: Uint8Array, charset: string): boolean {
  try {
    new TextDecoder(charset, { fatal: true }).decode(sample, { stream: true });
    return true;
  } catch {
    return false;
  }
}
