/** A bounded HTTP request: follows no redirect, and ends whatever the server does. */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { ApiError } from "@rungs/contract";

/** The limits of one response. */
export interface AnswerLimits {
  readonly answer_bytes: number;
  /** How long the server may stay silent. */
  readonly silence_ms: number;
  /** How long the whole answer may take. */
  readonly answer_ms: number;
}

/** What a request needs beside its content. */
export interface RequestBounds {
  /** The private certificate authority of the server, in PEM. */
  readonly ca?: string | undefined;
  readonly signal: AbortSignal;
  readonly limits: AnswerLimits;
}

/** The answer has a status that HTTP does not have. */
export class NotHttp extends Error {}

/** Statuses whose answers have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Sends a request; the body is text. */
export function sendRequest(
  url: URL,
  { method = "GET", headers: given, body: text }: RequestInit,
  { ca, signal, limits }: RequestBounds,
): Promise<Response> {
  const headers = Object.fromEntries(new Headers(given));
  const body = typeof text === "string" ? text : "";
  const tls = { minVersion: "TLSv1.2", ...(ca === undefined ? {} : { ca }) } as const;
  const ends = AbortSignal.any([signal, AbortSignal.timeout(limits.answer_ms)]);
  return new Promise((resolve, reject) => {
    const sent = (url.protocol === "https:" ? requestHttps : requestHttp)(
      url,
      {
        method,
        ...tls,
        // No compression: a small response could inflate to a huge one.
        headers: { ...headers, "accept-encoding": "identity", "content-length": Buffer.byteLength(body) },
        timeout: limits.silence_ms,
        signal: ends,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        let size = 0;
        answer.on("data", (chunk: Buffer) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size > limits.answer_bytes)
            answer.destroy(
              new ApiError("source_broken", { message: "The server sent an answer without end." }),
            );
        });
        answer.on("error", reject);
        answer.on("end", () => {
          const status = answer.statusCode ?? 0;
          const all = new Headers();
          for (const [name, value] of Object.entries(answer.headers))
            for (const each of [value ?? []].flat()) all.append(name, each);
          if (status < 200 || status > 599) return reject(new NotHttp());
          resolve(new Response(EMPTY.has(status) ? null : Buffer.concat(chunks), { status, headers: all }));
        });
      },
    );
    sent.on("timeout", () => sent.destroy(Object.assign(new Error("timeout"), { code: "ETIMEOUT" })));
    sent.on("error", reject);
    sent.end(body);
  });
}
