import { ApiError } from "@rungs/contract";

const MAX_BYTES = 1024 ** 2;
const TYPE = "application/x-www-form-urlencoded";

/** Reads the fields of a form, which are few; refuses another kind of body, and one that is too large. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== TYPE) {
    throw new ApiError("unsupported_media_type", { next: `Send ${TYPE}, as the pages' forms do.` });
  }
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request.body ?? []) {
    size += piece.length;
    if (size > MAX_BYTES) throw new ApiError("request_too_large", { max_bytes: MAX_BYTES });
    pieces.push(piece);
  }
  return new URLSearchParams(Buffer.concat(pieces).toString());
}
