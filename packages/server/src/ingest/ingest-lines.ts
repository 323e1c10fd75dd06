import {
  ApiError,
  type ByteLine,
  collectedRecordSchema,
  type RecordEnvelope,
  recordEnvelopeSchema,
  splitLines,
} from "@rungs/contract";
import { type CodedError, formatFieldPath, sliceChars } from "@rungs/evidence";
import { type BatchTarget, collectBatches, type PendingItem, writeBatch } from "./batch.ts";
import { createTally, type LinePlace, type Tally } from "./tally.ts";

/** Where records go, and the largest size of one. */
export interface IngestTarget extends BatchTarget<LinePlace> {
  readonly line_bytes: number;
  /** The stream of lines that name none; other streams are refused. */
  readonly stream?: string | undefined;
}

const CARRIAGE_RETURN = 0x0d;
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Stores the records of a body in a connection, batch by batch as they arrive. A rejected line does not stop the
 * others. When the body breaks off or the store fails, `tally` holds the counts so far.
 */
export async function ingestLines(
  chunks: AsyncIterable<Uint8Array>,
  target: IngestTarget,
  tally: Tally = createTally(),
): Promise<Tally> {
  // Refuses an unknown connection before reading anything.
  await target.store.ingest(target.owner_id, target.connection_id, []);
  for await (const batch of collectBatches(parseLines(chunks, target))) {
    await writeBatch(batch, target, tally);
  }
  return tally;
}

async function* parseLines(
  chunks: AsyncIterable<Uint8Array>,
  { line_bytes, stream }: Pick<IngestTarget, "line_bytes" | "stream">,
): AsyncGenerator<PendingItem<LinePlace>> {
  for await (const line of splitLines(chunks, { max_bytes: line_bytes })) {
    if (isEmpty(line)) continue;
    const record = parseLine(line, line_bytes, stream);
    yield { place: { line: line.number }, size_bytes: line.bytes?.length ?? 0, record };
  }
}

function isEmpty({ bytes }: ByteLine): boolean {
  return bytes !== undefined && (bytes.length === 0 || (bytes.length === 1 && bytes[0] === CARRIAGE_RETURN));
}

/** Parses one line as a record, or returns the error; the error quotes none of the content. */
export function parseLine(
  { bytes }: ByteLine,
  max_bytes: number,
  stream?: string,
): RecordEnvelope | CodedError {
  if (bytes === undefined) return new ApiError("record_too_large", { max_bytes });
  const text = decode(bytes);
  if (text === undefined) return new ApiError("invalid_text", { message: "The line is not valid UTF-8." });
  const value = parseJson(text);
  if (value === undefined) return new ApiError("invalid_record", { message: "The line is not JSON." });
  const parsed =
    stream === undefined ? recordEnvelopeSchema.safeParse(value) : collectedRecordSchema.safeParse(value);
  if (parsed.success) {
    const { type: _, ...record } = { type: undefined, ...parsed.data };
    const named = record.stream ?? stream ?? "";
    if (stream === undefined || named === stream) return { ...record, stream: named };
    const message = "The line names another stream than the request.";
    return new ApiError("invalid_record", { param: "stream", message });
  }
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
