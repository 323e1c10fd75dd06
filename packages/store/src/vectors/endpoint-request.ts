/** Sends one request to an embedding service, and to no other host: redirects are not followed. */
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { EmbedderError } from "./embedder.ts";

/** More than 2,000 vectors of 4,096 dimensions as JSON. */
const ANSWER_MAX_BYTES = 128 * 1024 ** 2;
/** The service may have refused the texts, not the call: too long, or of a kind that it cannot read. */
const ABOUT_TEXTS = new Set([400, 413, 422, 500]);

export interface EndpointRequest {
  readonly url: string;
  readonly key?: string | undefined;
  readonly timeoutMs: number;
  /** Ends the request early. */
  readonly signal?: AbortSignal | undefined;
}

/** Posts a JSON body and parses the JSON answer. */
export async function postJson(
  { url, key, timeoutMs, signal: end }: EndpointRequest,
  body: unknown,
): Promise<unknown> {
  const { protocol, hostname } = new URL(url);
  const send = protocol === "https:" ? requestHttps : requestHttp;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = end ? AbortSignal.any([timeout, end]) : timeout;
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const lookup = hostname === "localhost" ? { lookup: lookUpLoopback } : {};
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = send(url, { method: "POST", headers, signal, ...lookup }, resolve);
      request.on("error", reject);
      request.end(JSON.stringify(body));
    });
    const text = await readText(answer);
    requireSuccess(answer.statusCode ?? 0);
    return JSON.parse(text);
  } catch (error) {
    throw explain(error, timeout, timeoutMs);
  }
}

/** `localhost` is this machine, whatever a name server says. */
const lookUpLoopback: LookupFunction = (_hostname, { all, family }, callback) => {
  const addresses = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ];
  const [first] = addresses.filter((one) => family !== 6 || one.family === 6);
  if (all) callback(null, addresses);
  else callback(null, first?.address ?? "", first?.family);
};

async function readText(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > ANSWER_MAX_BYTES)
      throw new EmbedderError("The embedding service answers with too many bytes.");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function requireSuccess(status: number): void {
  if (status >= 200 && status < 300) return;
  const message =
    status >= 300 && status < 400
      ? `The embedding service redirects (status ${status}), which is not followed.`
      : `The embedding service answers with status ${status}.`;
  throw new EmbedderError(message, { isAboutTexts: ABOUT_TEXTS.has(status) });
}

/** Says what failed without quoting the answer, which may repeat the text. */
function explain(error: unknown, timeout: AbortSignal, timeoutMs: number): EmbedderError {
  if (error instanceof EmbedderError) return error;
  if (timeout.aborted)
    return new EmbedderError(`The embedding service did not answer within ${timeoutMs / 1000} seconds.`);
  if (error instanceof SyntaxError)
    return new EmbedderError("The embedding service does not answer with JSON.", { isAboutTexts: true });
  const { code } = error as { code?: unknown };
  return new EmbedderError(
    `The embedding service cannot be reached${typeof code === "string" ? ` (${code})` : ""}.`,
  );
}
