import { blobRefSchema } from "@rungs/evidence";

/** Copies a JSON value, with `fetch_url` added to every reference to a blob. */
export function linkBlobs(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(linkBlobs);
  if (Object.hasOwn(value, "blob_id") && blobRefSchema.safeParse(value).success) {
    return { ...value, fetch_url: pathOfBlob((value as { blob_id: string }).blob_id) };
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, linkBlobs(member)]));
}

/** Where a blob's bytes are, on this server. */
function pathOfBlob(blob_id: string): string {
  return `/v1/blobs/${encodeURIComponent(blob_id)}`;
}
