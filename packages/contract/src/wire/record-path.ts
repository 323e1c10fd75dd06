/**
 * Record keys in URL paths. A path cannot contain the keys `.` and `..`: every URL parser resolves them as dot segments,
 * percent-encoded or not. They are sent as their `pdpp://record/` URI, and so are keys that look like one.
 */
import { formatRecordUri, parseRecordUri } from "@rungs/evidence";
import { ApiError } from "../errors/errors.ts";

type Values = Readonly<Record<string, unknown>>;

const NEEDS_URI = /^(?:\.{1,2}$|pdpp:\/\/)/;

/** Encodes the key in `id` for a path. */
export function encodeRecordPath(input: Values, pathNames: readonly string[]): Values {
  const { connection_id, stream, id } = input;
  if (!pathNames.includes("id") || typeof id !== "string" || !NEEDS_URI.test(id)) return input;
  if (typeof connection_id !== "string" || typeof stream !== "string") {
    const message = "This record can be addressed only together with its connection_id.";
    throw new ApiError("invalid_record_id", { param: "connection_id", message });
  }
  return { ...input, id: formatRecordUri({ connection_id, stream, record_id: id }) };
}

/** Decodes the key, and refuses a URI that names another stream or connection than the rest of the request. */
export function decodeRecordPath(input: Values): Values {
  const { connection_id, stream, id } = input;
  const ref = typeof id === "string" && typeof stream === "string" ? parseRecordUri(id) : undefined;
  if (!ref) return input;
  if (ref.stream !== stream) throw new ApiError("invalid_record_id", { param: "id" });
  if (connection_id !== undefined && connection_id !== ref.connection_id) {
    throw new ApiError("connection_conflict", { param: "connection_id" });
  }
  return { ...input, id: ref.record_id, connection_id: ref.connection_id };
}
