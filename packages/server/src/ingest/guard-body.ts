import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "@rungs/contract";

/** How large a body may be, and how long it may pause. */
export interface BodyLimits {
  readonly body_bytes: number;
  readonly idle_ms: number;
}

/** Passes a body on; throws when it is too large, pauses too long or breaks off. */
export async function* guardBody(
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

/** Throws before anything is read when a body says that it is too large. */
export function requireSmall({ headers }: Request, max_bytes: number): void {
  if (Number(headers.get("Content-Length") ?? 0) > max_bytes)
    throw new ApiError("request_too_large", { max_bytes });
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json(?: *;.*)?$/i;

/** Reads a JSON body of at most `max_bytes`. */
export async function readJsonBody(
  request: Request,
  { idle_ms }: Pick<BodyLimits, "idle_ms">,
  max_bytes: number,
): Promise<unknown> {
  if (!JSON_TYPE.test(request.headers.get("Content-Type") ?? ""))
    throw new ApiError("unsupported_media_type", { next: "Send Content-Type: application/json." });
  requireSmall(request, max_bytes);
  const chunks: Uint8Array[] = [];
  for await (const chunk of guardBody(request.body, { body_bytes: max_bytes, idle_ms })) chunks.push(chunk);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw new ApiError("invalid_request", { param: "body", message: "The body is not JSON." });
  }
}
