import { ApiError } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import { guardBody } from "../ingest/guard-body.ts";
import { ingestLines } from "../ingest/ingest-lines.ts";
import { createTally, type Tally } from "../ingest/tally.ts";
import type { Handler } from "./handler.ts";

const NDJSON = /^application\/(?:x-)?(?:ndjson|jsonl|jsonlines)(?: *;.*)?$/i;

/** `ingest`: the owner brings records in, one on each line; sending the same lines again changes nothing. */
export const handleIngest: Handler<"ingest"> = async ({ settings, authority, input, request }) => {
  const { store, limits } = settings;
  const { connection_id } = input;
  requireBody(request, limits.body_bytes);
  const { owner_id } = authority;
  const tally = createTally();
  const target = { store, owner_id, connection_id, line_bytes: limits.line_bytes };
  await sayingHowFar(tally, () => ingestLines(guardBody(request.body, limits), target, tally));
  const records = tally.added + tally.changed + tally.deleted;
  return {
    kind: "json",
    body: { object: "ingest_result", connection_id, ...tally },
    reads: [{ connection_id, records }],
  };
};

function requireBody({ headers }: Request, max_bytes: number): void {
  if (!NDJSON.test(headers.get("Content-Type") ?? "")) throw new ApiError("unsupported_media_type");
  if (Number(headers.get("Content-Length") ?? 0) > max_bytes) {
    throw new ApiError("request_too_large", { max_bytes });
  }
}

/** Batches before a refusal stay stored; sending the whole body again is safe. */
async function sayingHowFar(tally: Tally, take: () => Promise<unknown>): Promise<void> {
  try {
    await take();
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const { rejections, ...counts } = tally;
    throw new CodedError(error.code, { ...error.details, ...counts });
  }
}
