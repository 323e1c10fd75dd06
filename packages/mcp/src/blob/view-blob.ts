/** What is shown of a file: always what it is, and a bounded part of it where that was asked for (R33). */
import { ApiError, type BlobView } from "@rungs/contract";
import type { Continuation } from "@rungs/evidence";
import { decodeBlobText, isTextType } from "./decode-text.ts";
import type { BlobRange } from "./read-range.ts";

/** How large an image may be to be shown as one. */
export const IMAGE_MAX_BYTES = 262_144;

/** What a file is, and the call that shows some of it. */
export function describeFile({ blob }: BlobRange): BlobView {
  const as = isTextType(blob.mime_type) ? "text" : isSmallImage(blob) ? "image" : "base64";
  return { blob, next: { operation: "read_blob", args: { blob_id: blob.blob_id, as } } };
}

/** A part of a text file, up to the last whole character; refuses what is no text. */
export function showText(range: BlobRange, limit_bytes: number): BlobView {
  const { blob, start_bytes, bytes } = range;
  if (!isTextType(blob.mime_type)) {
    throw new ApiError("field_not_text", {
      param: "as",
      message: `The file is ${blob.mime_type}, not text.`,
      next: `Call read_blob with blob_id=${JSON.stringify(blob.blob_id)} alone for what it is.`,
    });
  }
  const isEnd = start_bytes + bytes.length >= blob.size_bytes;
  const { text, used_bytes } = decodeBlobText(bytes, isEnd);
  return {
    blob,
    range: { start_bytes, end_bytes: start_bytes + used_bytes },
    text,
    ...reachOn(range, used_bytes, "text", limit_bytes),
  };
}

/** A part of a file as base64. */
export function showBytes(range: BlobRange, limit_bytes: number): BlobView {
  const { blob, start_bytes, bytes } = range;
  const end_bytes = start_bytes + bytes.length;
  return {
    blob,
    range: { start_bytes, end_bytes },
    base64: bytes.toString("base64"),
    ...reachOn(range, bytes.length, "base64", limit_bytes),
  };
}

function reachOn(
  { blob, start_bytes }: BlobRange,
  used: number,
  as: "text" | "base64",
  limit_bytes: number,
): { next?: Continuation } {
  const offset_bytes = start_bytes + used;
  if (offset_bytes >= blob.size_bytes) return {};
  return { next: { operation: "read_blob", args: { blob_id: blob.blob_id, as, offset_bytes, limit_bytes } } };
}

function isSmallImage({ mime_type, size_bytes }: BlobRange["blob"]): boolean {
  return /^image\/(?:png|jpeg|gif|webp)$/i.test(mime_type) && size_bytes <= IMAGE_MAX_BYTES;
}

/** A file that can be shown as an image; refuses any other. */
export function requireImage({ blob }: BlobRange): BlobRange["blob"] {
  if (isSmallImage(blob)) return blob;
  throw new ApiError("invalid_request", {
    param: "as",
    message: `The file is ${blob.mime_type} of ${blob.size_bytes} bytes; an image is shown when it is PNG, JPEG, GIF or WebP of at most ${IMAGE_MAX_BYTES} bytes.`,
    next: `Call read_blob with blob_id=${JSON.stringify(blob.blob_id)} alone for what it is.`,
  });
}
