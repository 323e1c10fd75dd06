import type { Show } from "../visit/answer.ts";

/** A blob's bytes as a file to save: never shown as a page of this site, whatever they claim to be. */
export const sendBlob: Show = async ({ client, param }) => {
  const { bytes, mime_type, size_bytes } = await client.openBlob({ blob_id: param("blob_id") });
  return new Response(ReadableStream.from(bytes), {
    headers: {
      "Content-Type": mime_type,
      "Content-Length": String(size_bytes),
      "Content-Disposition": "attachment",
      "Content-Security-Policy": "default-src 'none'; sandbox",
    },
  });
};
