import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import { ingestLines } from "../ingest/ingest-lines.ts";
import { createTally, type Tally } from "../ingest/tally.ts";
import type { Handler } from "./handler.ts";

const NDJSON = /^application\/(?:x-)?(?:ndjson|jsonl|jsonlines)(?: *;.*)?$/i;

interface BodyLimits {
  readonly body_bytes: number;
  readonly idle_ms: number;
}

/** `ingest`: stores the owner's records, one on each line; idempotent, so that sending the same lines again changes nothing. */
export const handleIngest: Handler<"ingest"> = async ({ settings, authority, input, request }) => {
  const { store, limits } = settings;
  const { connection_id } = input;
  requireBody(request, limits.body_bytes);
  const { owner_id } = authority;
  const tally = createTally();
  const target = { store, owner_id, connection_id, line_bytes: limits.line_bytes };
  await withProgressInErrors(tally, () => ingestLines(guardBody(request.body, limits), target, tally));
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

/** Passes a body on; throws when it is too large, pauses too long or breaks off. */
async function* guardBody(
  body: ReadableStream<Uint8Array> | null,
  { body_bytes: max_bytes, idle_ms }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  let size = 0;
  try {
    for (;;) {
      const chunk = await withIdleLimit(idle_ms, reader.read().catch(refuseBroken));
      if (chunk.done) return;
      size += chunk.value.length;
      if (size > max_bytes) throw new ApiError("request_too_large", { max_bytes });
      yield chunk.value;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

async function withIdleLimit<T>(idle_ms: number, read: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const pause = delay(idle_ms, "too long" as const, { signal: timer.signal }).catch(() => "over" as const);
  const first = await Promise.race([read, pause]);
  timer.abort();
  if (first === "too long" || first === "over") throw new ApiError("request_timeout");
  return first;
}

function refuseBroken(): never {
  throw new ApiError("invalid_request", { message: "The request body ended early." });
}
