import { z } from "zod";

/** A reference from a record to a stored blob. */
export const blobRefSchema = z.looseObject({
  blob_id: z.string().min(1),
  mime_type: z.string(),
  size_bytes: z.int().min(0),
  sha256: z.string(),
  fetch_url: z.string().optional(),
  filename: z.string().optional(),
});

/** A reference from a record to a stored blob. */
export type BlobRef = z.infer<typeof blobRefSchema>;

/** Whether a value is a reference to a stored blob. */
export function isBlobRef(value: unknown): value is BlobRef {
  return (
    value !== null &&
    typeof value === "object" &&
    Object.hasOwn(value, "blob_id") &&
    blobRefSchema.safeParse(value).success
  );
}

/** The metadata that is shown in place of a binary value (R33). */
export const binaryMetadataSchema = z.looseObject({
  mime_type: z.string(),
  size_bytes: z.int().min(0),
  sha256: z.string().optional(),
  blob_id: z.string().optional(),
  filename: z.string().optional(),
});

/** The metadata that is shown in place of a binary value. */
export type BinaryMetadata = z.infer<typeof binaryMetadataSchema>;

const ENCODINGS = new Set(["base64", "base64url", "base32", "base16"]);
const DATA_URL = /^data:([^,;]*)(?:;[^,;]*)*;base64,/i;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const HEX = /^(?:[0-9a-f]+|[0-9A-F]+)$/;
const UNDECLARED_MIN_CHARS = 1024;
// Random bytes use nearly all 64 letters of the alphabet; prose and repeated sequences do not.
const MIN_DISTINCT_LETTERS = 32;

/**
 * Whether a string encodes bytes: declared so, a `data:` URL, or long and shaped like base64 or hex (R33).
 * `size_chars` is the whole size when `text` is only a prefix.
 */
export function isBinaryText(text: string, encoding?: string, size_chars = text.length): boolean {
  if (encoding !== undefined && ENCODINGS.has(encoding.toLowerCase())) return true;
  return DATA_URL.test(text) || (size_chars >= UNDECLARED_MIN_CHARS && looksEncoded(text));
}

/** Describes a binary string without its bytes; `size_chars` as above. */
export function describeBinaryText(
  text: string,
  media_type?: string,
  size_chars = text.length,
): BinaryMetadata {
  const [prefix = "", urlType] = DATA_URL.exec(text) ?? [];
  const isHex = prefix === "" && HEX.test(text);
  const padding = size_chars === text.length ? /={0,2}$/.exec(text)![0].length : 0;
  const letters = size_chars - prefix.length - padding;
  return {
    mime_type: media_type ?? (urlType || "application/octet-stream"),
    size_bytes: Math.floor(isHex ? letters / 2 : (letters * 3) / 4),
  };
}

/** Describes a referenced blob by the record's own metadata. */
export function describeBlob({ mime_type, size_bytes, sha256, blob_id, filename }: BlobRef): BinaryMetadata {
  return { mime_type, size_bytes, sha256, blob_id, ...(filename === undefined ? {} : { filename }) };
}

function looksEncoded(text: string): boolean {
  if (HEX.test(text)) return /[0-9]/.test(text) && /[a-f]/i.test(text);
  if (!BASE64.test(text) || !/[a-z]/.test(text) || !/[A-Z]/.test(text) || !/[0-9]/.test(text)) return false;
  return new Set(text.slice(0, UNDECLARED_MIN_CHARS)).size >= MIN_DISTINCT_LETTERS;
}
