/** Decides what a receiver's response means for a message. */
import type { Receipt } from "./send-event.ts";
import type { PendingEvent } from "./subscriptions.ts";

/** The waits before each further attempt; after the last one the subscription is switched off. */
const BACKOFF_MS = [30, 120, 600, 3_600, 21_600, 86_400].map((seconds) => seconds * 1000);
/** How long a receiver may postpone a message. */
const OLDEST_MS = 3 * 86_400_000;
const THROTTLE_S = { default: 60, most: 86_400 };
const THROTTLING = [429, 502, 504];
const GONE = 410;

/** How an attempt ended. */
export type Outcome =
  | { readonly kind: "delivered" }
  | { readonly kind: "later"; readonly event: PendingEvent }
  | { readonly kind: "failed"; readonly reason: string };

interface Attempt {
  readonly event: PendingEvent;
  readonly receipt: Receipt;
  readonly challenge: string;
  readonly now_ms: number;
  /** Spreads attempts: between 0 and 1. */
  readonly random: number;
}

/** Decides whether a message was delivered, is sent again, or has failed for good. */
export function readOutcome({ event, receipt, challenge, now_ms, random }: Attempt): Outcome {
  const { status = 0, text, retry_after } = receipt;
  const isAccepted = status >= 200 && status < 300;
  if (isAccepted && (event.type !== "pdpp.subscription.verify" || echoes(text, challenge)))
    return { kind: "delivered" };
  if (status === GONE) return { kind: "failed", reason: "receiver_gone" };
  if (now_ms - event.first_at_ms > OLDEST_MS) return { kind: "failed", reason: "receiver_failed" };
  if (THROTTLING.includes(status))
    return { kind: "later", event: { ...event, next_at_ms: now_ms + readDelay(retry_after, now_ms) } };
  const wait_ms = BACKOFF_MS[event.attempts];
  if (wait_ms === undefined) return { kind: "failed", reason: "receiver_failed" };
  const next_at_ms = now_ms + Math.round(wait_ms * (0.8 + 0.4 * random));
  return { kind: "later", event: { ...event, attempts: event.attempts + 1, next_at_ms } };
}

/** The verification asks the receiver to return the challenge as `{"challenge": …}`. */
function echoes(text: string, challenge: string): boolean {
  try {
    return (JSON.parse(text) as { challenge?: unknown } | null)?.challenge === challenge;
  } catch {
    return false;
  }
}

/** `Retry-After`: seconds or a date (RFC 9110 §10.2.3). */
function readDelay(header: string | undefined, now_ms: number): number {
  const text = header?.trim() ?? "";
  const date_ms = Date.parse(text);
  const seconds = /^\d{1,9}$/.test(text)
    ? Number(text)
    : Number.isNaN(date_ms)
      ? THROTTLE_S.default
      : (date_ms - now_ms) / 1000;
  return Math.min(Math.max(seconds, 1), THROTTLE_S.most) * 1000;
}
