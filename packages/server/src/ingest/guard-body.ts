import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "@rungs/contract";

interface BodyLimits {
  readonly body_bytes: number;
  readonly idle_ms: number;
}

/** Passes a body on, and refuses it when it gets too large, pauses for too long or breaks off. */
export async function* guardBody(
  body: ReadableStream<Uint8Array> | null,
  { body_bytes: max_bytes, idle_ms }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  let size = 0;
  try {
    for (;;) {
      const chunk = await within(idle_ms, reader.read().catch(refuseBroken));
      if (chunk.done) return;
      size += chunk.value.length;
      if (size > max_bytes) throw new ApiError("request_too_large", { max_bytes });
      yield chunk.value;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

async function within<T>(idle_ms: number, read: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const pause = delay(idle_ms, "too long" as const, { signal: timer.signal }).catch(() => "over" as const);
  const first = await Promise.race([read, pause]);
  timer.abort();
  if (first === "too long" || first === "over") throw new ApiError("request_timeout");
  return first;
}

function refuseBroken(): never {
  throw new ApiError("invalid_request", { message: "The body broke off before its end." });
}
