import type { Client } from "@rungs/client";
import { ApiError, type BlobView } from "@rungs/contract";

/** What is known of a blob, and the bytes of it that were asked for. */
export interface BlobRange {
  readonly blob: BlobView["blob"];
  readonly start_bytes: number;
  readonly bytes: Buffer;
}

/** Reads at most `limit_bytes` of a blob; one byte is enough to learn what it is. */
export async function readRange(
  client: Client,
  blob_id: string,
  start_bytes: number,
  limit_bytes: number,
): Promise<BlobRange> {
  const range = `bytes=${start_bytes}-${start_bytes + limit_bytes - 1}`;
  const opened = await openRange(client, blob_id, range);
  const { mime_type, total_bytes: size_bytes, start, bytes } = opened;
  return { blob: { blob_id, mime_type, size_bytes }, start_bytes: start, bytes: await gather(bytes) };
}

async function gather(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** No range lies within an empty blob, which can only be read whole. */
async function openRange(client: Client, blob_id: string, range: string) {
  try {
    return await client.openBlob({ blob_id, range });
  } catch (error) {
    if (!(error instanceof ApiError) || error.details.size_bytes !== 0) throw error;
    return client.openBlob({ blob_id });
  }
}
