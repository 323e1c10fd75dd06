import type { Client } from "@rungs/client";
import { ApiError } from "@rungs/contract";

/** What is known of a blob without its bytes. */
export interface BlobAbout {
  readonly blob_id: string;
  readonly mime_type: string;
  readonly size_bytes: number;
}

/** Learns what a blob is; its first byte is enough. No range lies within an empty blob, which is read whole. */
export async function fetchBlobFacts(client: Client, blob_id: string): Promise<BlobAbout> {
  const opened = await client.openBlob({ blob_id, range: "bytes=0-0" }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.details.size_bytes !== 0) throw error;
    return client.openBlob({ blob_id });
  });
  for await (const _ of opened.bytes);
  return { blob_id, mime_type: opened.mime_type, size_bytes: opened.total_bytes };
}
