import { ApiError } from "@rungs/contract";

/** Bytes `start` to `end`, the end excluded. */
export interface ByteRange {
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
