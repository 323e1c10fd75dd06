import { ApiError, type ByteLine, type RecordEnvelope, recordEnvelopeSchema } from "@rungs/contract";
import { type CodedError, formatFieldPath, sliceChars } from "@rungs/evidence";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Reads one line as a record, or says why it is none; nothing of its content is repeated. */
export function parseLine({ bytes }: ByteLine, max_bytes: number): RecordEnvelope | CodedError {
  if (bytes === undefined) return new ApiError("record_too_large", { max_bytes });
  const text = decode(bytes);
  if (text === undefined) return new ApiError("invalid_text", { message: "The line is not valid UTF-8." });
  const value = parseJson(text);
  if (value === undefined) return new ApiError("invalid_record", { message: "The line is not JSON." });
  const parsed = recordEnvelopeSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = (issue?.path ?? []).filter((segment) => typeof segment !== "symbol");
  const param = path.length === 0 ? "record" : sliceChars(formatFieldPath(path), 0, 256);
  return new ApiError("invalid_record", {
    param,
    message: `${param} does not have the form of a record's envelope.`,
  });
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
