/** Sends one signed message (CloudEvents 1.0, Standard Webhooks), to the address that was checked and nowhere else. */
import { createHmac } from "node:crypto";
import { type IncomingMessage, request as sendHttp } from "node:http";
import { request as sendHttps } from "node:https";
import { createLookup, isLoopbackAddress, isPublicAddress } from "../oauth/provider/fetch-public.ts";
import { isLoopbackHost } from "./callback-address.ts";

/** How a receiver answered; no status when it did not. */
export interface Receipt {
  readonly status?: number | undefined;
  readonly retry_after?: string | undefined;
  /** The beginning of its answer. */
  readonly text: string;
}

interface OutgoingEvent {
  readonly url: string;
  readonly id: string;
  readonly body: string;
  readonly key: string;
  readonly now_ms: number;
}

const TIMEOUT_MS = 10_000;
const TEXT_BYTES = 4096;

/** Sends a message. Follows no redirect; resolves even when nobody answers. */
export async function sendEvent(event: OutgoingEvent, signal: AbortSignal): Promise<Receipt> {
  const { id, body, key, now_ms } = event;
  const url = new URL(event.url);
  const isLocal = isLoopbackHost(url.hostname);
  const timestamp = String(Math.floor(now_ms / 1000));
  const options = {
    method: "POST",
    agent: false,
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    lookup: createLookup(isLocal ? isLoopbackAddress : isPublicAddress),
    headers: {
      "Content-Type": "application/cloudevents+json; charset=utf-8",
      "Content-Length": Buffer.byteLength(body),
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signText(key, `${id}.${timestamp}.${body}`)}`,
    },
  };
  // A numeric address needs no DNS lookup.
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (!isLocal && /^[\d.]+$|:/.test(host) && !isPublicAddress(host)) return { text: "" };
  return new Promise((resolve) => {
    const send = url.protocol === "https:" ? sendHttps : sendHttp;
    const request = send(url, options, (message) => void readReceipt(message).then(resolve));
    request.on("error", () => resolve({ text: "" }));
    request.end(body);
  });
}

async function readReceipt(message: IncomingMessage): Promise<Receipt> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of message) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= TEXT_BYTES) break;
    }
  } catch {
    return { text: "" };
  } finally {
    message.destroy();
  }
  const text = Buffer.concat(chunks).subarray(0, TEXT_BYTES).toString("utf8");
  return { status: message.statusCode, retry_after: message.headers["retry-after"], text };
}

/** The signature of Standard Webhooks: HMAC-SHA256 under the bytes behind `whsec_`. */
function signText(key: string, text: string): string {
  const bytes = Buffer.from(key.replace(/^whsec_/, ""), "base64");
  return createHmac("sha256", bytes).update(text).digest("base64");
}
