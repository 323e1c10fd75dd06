/** Requests to a server that may be killed at any moment. */
import { CONTRACT_VERSION } from "@rungs/contract";

// biome-ignore lint/suspicious/noExplicitAny: answers are checked against the document elsewhere.
export type Json = any;

/** A response; status 0 and no body if none came. */
export interface Answer {
  readonly status: number;
  readonly body: Json;
  /** Why none came. */
  readonly failure?: unknown;
  /** The header `Retry-After`. */
  readonly retry_after?: string | null;
}

/** Far beyond a server's limits, so that a busy machine passes and only a hang fails. */
const TIMEOUT_MS = 300_000;

/** Sends a request; a connection that fails or breaks gives status 0. */
export async function ask(url: string, token: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { "PDPP-Version": CONTRACT_VERSION, ...init.headers, Authorization: `Bearer ${token}` };
  try {
    const answer = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const retry_after = answer.headers.get("Retry-After");
    return { status: answer.status, body: await answer.json(), retry_after };
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError")
      throw new Error(`No answer: ${init.method ?? "GET"} ${url}`, { cause: error });
    return { status: 0, body: undefined, failure: error instanceof Error ? error.cause : error };
  }
}

/** Sends records to a connection. */
export function sendRecords(url: string, owner: string, connection: string, lines: string): Promise<Answer> {
  return ask(`${url}/v1/connections/${connection}/records`, owner, {
    method: "POST",
    headers: { "Content-Type": "application/x-ndjson" },
    body: lines,
  });
}
