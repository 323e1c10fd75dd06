import type { GrantedBlob } from "@rungs/store";
import type { ByteRange } from "./byte-range.ts";

const MEDIA_TYPE =
  /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?: *; *[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[\w !#$&^.+-]*"))*$/;

/** The name of exactly these bytes. */
export function etagOf({ sha256 }: GrantedBlob): string {
  return `"${sha256}"`;
}

/** The headers of a blob: whatever it holds, it is saved and never run or shown as part of a page. */
export function describeBytes(blob: GrantedBlob, range: ByteRange | undefined): Record<string, string> {
  const { start, end } = range ?? { start: 0, end: blob.size_bytes };
  return {
    "Content-Type": MEDIA_TYPE.test(blob.mime_type) ? blob.mime_type : "application/octet-stream",
    "Content-Length": String(end - start),
    "Content-Disposition": "attachment",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Accept-Ranges": "bytes",
    ETag: etagOf(blob),
    ...(range ? { "Content-Range": `bytes ${start}-${end - 1}/${blob.size_bytes}` } : {}),
  };
}

/** Whether an `If-None-Match` or `If-Range` header names these bytes (RFC 9110 §13.1). */
export function namesBytes(header: string, blob: GrantedBlob): boolean {
  const etags = header.split(",").map((etag) => etag.trim().replace(/^W\//, ""));
  return etags.includes("*") || etags.includes(etagOf(blob));
}
