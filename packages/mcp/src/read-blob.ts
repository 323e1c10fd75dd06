/** Reads blobs for `read_blob`: their type and size, and a bounded part when requested (R33). */
import type { Client } from "@rungs/client";
import { ApiError, type BlobView } from "@rungs/contract";
import {
  type Continuation,
  formatRecordId,
  type NamedRecord,
  parseRecordId,
  type RecordRef,
} from "@rungs/evidence";

/** A blob and the requested bytes of it. */
export interface BlobRange {
  readonly blob: BlobView["blob"];
  readonly record?: Continuation;
  readonly start_bytes: number;
  readonly bytes: Buffer;
}

/** Reads at most `limit_bytes` of a blob; one byte is enough to learn its type and size. */
export async function readRange(
  client: Client,
  blob_id: string,
  start_bytes: number,
  limit_bytes: number,
): Promise<BlobRange> {
  const range = `bytes=${start_bytes}-${start_bytes + limit_bytes - 1}`;
  const opened = await openRange(client, blob_id, range);
  const { mime_type, total_bytes: size_bytes, start, bytes, record_uri } = opened;
  const id = record_uri && formatRecordId(requireConnection(parseRecordId(record_uri)));
  return {
    blob: { blob_id, mime_type, size_bytes },
    ...(id && { record: { operation: "fetch", args: { id } } }),
    start_bytes: start,
    bytes: await collect(bytes),
  };
}

function requireConnection({ connection_id = "", stream, record_id }: NamedRecord): RecordRef {
  return { connection_id, stream, record_id };
}

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** An empty blob satisfies no range (RFC 9110 §14.1.2): read it whole. */
async function openRange(client: Client, blob_id: string, range: string) {
  try {
    return await client.openBlob({ blob_id, range });
  } catch (error) {
    if (!(error instanceof ApiError) || error.details.size_bytes !== 0) throw error;
    return client.openBlob({ blob_id });
  }
}

/** The first bytes of a range. */
export function keepBytes(range: BlobRange, count: number): BlobRange {
  return { ...range, bytes: range.bytes.subarray(0, count) };
}

/** The largest image that is shown as one. */
export const IMAGE_MAX_BYTES = 262_144;

/** Describes a blob, with the calls that show its record and a part of it. */
export function describeFile({ blob, record }: BlobRange): BlobView {
  const as = isTextType(blob.mime_type) ? "text" : isSmallImage(blob) ? "image" : "base64";
  return {
    blob,
    ...(record && { record }),
    next: { operation: "read_blob", args: { blob_id: blob.blob_id, as } },
  };
}

/** Describes an image that the answer holds; a host without images can continue with the record. */
export function describeImage({ blob, record }: BlobRange): BlobView {
  return { blob, image: true, ...(record && { record, next: record }) };
}

/** A part of a text file, up to the last whole character; throws `field_not_text` for other types. */
export function showText(range: BlobRange, limit_bytes?: number): BlobView {
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
    ...createNext(range, used_bytes, "text", limit_bytes),
  };
}

/** A part of a file as base64. */
export function showBytes(range: BlobRange, limit_bytes?: number): BlobView {
  const { blob, record, start_bytes, bytes } = range;
  const end_bytes = start_bytes + bytes.length;
  return {
    blob,
    ...(record && { record }),
    range: { start_bytes, end_bytes },
    base64: bytes.toString("base64"),
    ...createNext(range, bytes.length, "base64", limit_bytes),
  };
}

function createNext(
  { blob, start_bytes }: BlobRange,
  used: number,
  as: "text" | "base64",
  limit_bytes: number | undefined,
): { next?: Continuation } {
  const offset_bytes = start_bytes + used;
  if (offset_bytes >= blob.size_bytes) return {};
  const size = limit_bytes === undefined ? {} : { limit_bytes };
  return { next: { operation: "read_blob", args: { blob_id: blob.blob_id, as, offset_bytes, ...size } } };
}

function isSmallImage({ mime_type, size_bytes }: BlobRange["blob"]): boolean {
  return /^image\/(?:png|jpeg|gif|webp)$/i.test(mime_type) && size_bytes <= IMAGE_MAX_BYTES;
}

/** Requires a blob that can be shown as an image. */
export function requireImage({ blob }: BlobRange): BlobRange["blob"] {
  if (isSmallImage(blob)) return blob;
  throw new ApiError("invalid_request", {
    param: "as",
    message: `The file is ${blob.mime_type} of ${blob.size_bytes} bytes; an image is shown when it is PNG, JPEG, GIF or WebP of at most ${IMAGE_MAX_BYTES} bytes.`,
    next: `Call read_blob with blob_id=${JSON.stringify(blob.blob_id)} alone for what it is.`,
  });
}

/** Whether blobs of this type are text. */
export function isTextType(mime_type: string): boolean {
  return /^text\/|^application\/(?:json|xml|x-ndjson|yaml|javascript)\b|\+(?:json|xml)\b/i.test(mime_type);
}

/** Decodes UTF-8 up to the last whole character, and counts the bytes used. */
export function decodeBlobText(bytes: Buffer, isEnd: boolean): { text: string; used_bytes: number } {
  const used_bytes = isEnd ? bytes.length : bytes.length - countBroken(bytes);
  return { text: bytes.toString("utf8", 0, used_bytes), used_bytes };
}

/** Counts the bytes at the end that begin a UTF-8 character without finishing it. */
function countBroken(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length - 1); back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}
