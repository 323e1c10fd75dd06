import { ApiError } from "@rungs/contract";
import { formatRecordUri } from "@rungs/evidence";
import type { GrantedBlob } from "@rungs/store";
import type { AuditedRead } from "../access/audit-log.ts";
import type { Handler } from "./handler.ts";

const MEDIA_TYPE =
  /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?: *; *[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[\w !#$&^.+-]*"))*$/;

/** `read_blob`: the bytes of a blob that a granted field refers to, or a range of them (R33). */
export const handleReadBlob: Handler<"read_blob"> = async ({
  settings: { store },
  authority,
  input,
  request,
}) => {
  const blob = await store.describeBlob(authority.scope, input.blob_id);
  if (!blob) throw new ApiError("blob_not_found", { param: "blob_id" });
  const { connection_id, stream, record_id, field_path: field } = blob.via;
  const read: AuditedRead = { connection_id, stream, record_id, field };

  const known = request.headers.get("If-None-Match");
  if (known !== null && matchesEtag(known, blob)) {
    return { kind: "empty", status: 304, headers: { ETag: formatEtag(blob) }, reads: [read] };
  }
  const condition = request.headers.get("If-Range");
  const isPartial = input.range !== undefined && (condition === null || matchesEtag(condition, blob));
  const range: ByteRange | undefined = isPartial
    ? requireByteRange(input.range ?? "", blob.size_bytes)
    : undefined;
  const status = range ? 206 : 200;
  const headers = createBlobHeaders(blob, range);
  if (request.method === "HEAD") return { kind: "empty", status, headers, reads: [read] };
  const { start, end } = range ?? { start: 0, end: blob.size_bytes };
  const chunks = store.readBlob(authority.scope, blob.blob_id, { start, end });
  return {
    kind: "stream",
    status,
    headers,
    chunks,
    reads: () => [{ ...read, range_start: start, range_end: end }],
  };
};

function formatEtag({ sha256 }: GrantedBlob): string {
  return `"${sha256}"`;
}

/** The headers of a blob: browsers download it, whatever it holds, and never run it or show it as part of a page. */
function createBlobHeaders(blob: GrantedBlob, range: ByteRange | undefined): Record<string, string> {
  const { start, end } = range ?? { start: 0, end: blob.size_bytes };
  return {
    "Content-Type": MEDIA_TYPE.test(blob.mime_type) ? blob.mime_type : "application/octet-stream",
    "Content-Length": String(end - start),
    "Content-Disposition": "attachment",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Accept-Ranges": "bytes",
    ETag: formatEtag(blob),
    Link: `<${formatRecordUri(blob.via)}>; rel="describedby"`,
    ...(range ? { "Content-Range": `bytes ${start}-${end - 1}/${blob.size_bytes}` } : {}),
  };
}

/** Whether an `If-None-Match` or `If-Range` header matches the blob (RFC 9110 §13.1). */
function matchesEtag(header: string, blob: GrantedBlob): boolean {
  const etags = header.split(",").map((etag) => etag.trim().replace(/^W\//, ""));
  return etags.includes("*") || etags.includes(formatEtag(blob));
}

/** Bytes `start` to `end`, the end excluded. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Resolves one range (RFC 9110 §14.1.2) against `size_bytes`, or throws `range_not_satisfiable`. */
export function requireByteRange(header: string, size_bytes: number): ByteRange {
  const [first = "", last = ""] = header.replace("bytes=", "").split("-");
  const range =
    first === ""
      ? { start: Math.max(0, size_bytes - Number(last)), end: size_bytes }
      : { start: Number(first), end: last === "" ? size_bytes : Math.min(Number(last) + 1, size_bytes) };
  if (range.start >= range.end) throw new ApiError("range_not_satisfiable", { param: "range", size_bytes });
  return range;
}
