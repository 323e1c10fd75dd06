import { ApiError } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import { guardBody, requireSmall } from "../ingest/guard-body.ts";
import { ingestLines } from "../ingest/ingest-lines.ts";
import { createTally, type Tally } from "../ingest/tally.ts";
import { requireWritable } from "../ingest/writable.ts";
import type { Settings } from "../settings/options.ts";
import type { Handler } from "./handler.ts";

const NDJSON = /^application\/(?:x-)?(?:ndjson|jsonl|jsonlines)(?: *;.*)?$/i;

/** `ingest`: stores the owner's records, one on each line; idempotent, so that sending the same lines again changes nothing. */
export const handleIngest: Handler<"ingest"> = async ({ settings, authority, input, request }) => {
  const { connection_id } = input;
  const tally = await takeLines(settings, request, { owner_id: authority.owner_id, connection_id });
  return {
    kind: "json",
    body: { object: "ingest_result", connection_id, ...tally },
    reads: [{ connection_id, records: countWritten(tally) }],
  };
};

/** `ingest_stream`: the same for one stream, as connectors send it. */
export const handleIngestStream: Handler<"ingest_stream"> = async ({
  settings,
  authority,
  input,
  request,
}) => {
  const { stream } = input;
  const { connection_id, shapes } = requireWritable(authority, input);
  if (!shapes.has(stream)) throw new ApiError("grant_stream_not_allowed", STREAM_UNKNOWN);
  const { owner_id } = authority;
  const tally = await takeLines(settings, request, { owner_id, connection_id, stream });
  const records_accepted = countWritten(tally) + tally.unchanged;
  return {
    kind: "json",
    body: {
      object: "ingest_result",
      stream,
      connection_id,
      records_accepted,
      records_rejected: tally.rejected,
      ...tally,
    },
    reads: [{ connection_id, stream, records: countWritten(tally) }],
  };
};

const STREAM_UNKNOWN = {
  param: "stream",
  message: "The source of this connection declares no such stream.",
  next: "Send the records to a stream of its declaration.",
};

interface LinesTarget {
  readonly owner_id: string;
  readonly connection_id: string;
  readonly stream?: string;
}

async function takeLines({ store, limits }: Settings, request: Request, into: LinesTarget): Promise<Tally> {
  requireBody(request, limits.body_bytes);
  const tally = createTally();
  const target = { store, line_bytes: limits.line_bytes, ...into };
  await withProgressInErrors(tally, () => ingestLines(guardBody(request.body, limits), target, tally));
  return tally;
}

function countWritten({ added, changed, deleted }: Tally): number {
  return added + changed + deleted;
}

function requireBody(request: Request, max_bytes: number): void {
  if (!NDJSON.test(request.headers.get("Content-Type") ?? "")) throw new ApiError("unsupported_media_type");
  requireSmall(request, max_bytes);
}

/** Adds the counts so far to an error: batches before it stay stored, and the whole body can safely be sent again. */
async function withProgressInErrors(tally: Tally, take: () => Promise<unknown>): Promise<void> {
  try {
    await take();
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const { rejections, ...counts } = tally;
    throw new CodedError(error.code, { ...error.details, ...counts });
  }
}
