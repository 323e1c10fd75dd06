import { ApiError } from "@rungs/contract";
import { describeBytes, etagOf, namesBytes } from "./blob-headers.ts";
import { type ByteRange, requireByteRange } from "./byte-range.ts";
import type { Handler, Read } from "./handler.ts";

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
  const read: Read = { connection_id, stream, record_id, field };

  const known = request.headers.get("If-None-Match");
  if (known !== null && namesBytes(known, blob)) {
    return { kind: "empty", status: 304, headers: { ETag: etagOf(blob) }, reads: [read] };
  }
  const condition = request.headers.get("If-Range");
  const isAsked = input.range !== undefined && (condition === null || namesBytes(condition, blob));
  const range: ByteRange | undefined = isAsked
    ? requireByteRange(input.range ?? "", blob.size_bytes)
    : undefined;
  const status = range ? 206 : 200;
  const headers = describeBytes(blob, range);
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
