/**
 * Agent connect: how programs of the protocol's reference implementation get a token. It is the device flow (RFC 8628) under
 * other names: a JSON body becomes its form, and its answers get the names that those programs read.
 */
import type { IncomingMessage } from "node:http";
import { ApiError } from "@rungs/contract";
import { AGENT_CONNECT, oauthRoutes } from "./provider/paths.ts";

const BODY_MAX_BYTES = 16_384;
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const PENDING = ["authorization_pending", "slow_down"];

/** An answer of the provider, reworded. */
interface Answer {
  readonly status: number;
  readonly body: object;
}
type Reword = (answer: Answer) => Answer;
type Body = Readonly<Record<string, unknown>>;

/** The in-flight requests whose answers are reworded. */
const reworded = new WeakMap<IncomingMessage, Reword>();

/** Rewrites a request to start, or to poll, as one of the device flow. */
export async function rewriteAgentConnect(
  request: Request,
  incoming: IncomingMessage,
  base_url: string,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url);
  const json = await readJson(request);
  const client_id = searchParams.get("client_id") ?? "";
  const isStart = pathname === AGENT_CONNECT;
  const form = isStart ? writeStart(json) : writePoll(json, client_id);
  incoming.url = isStart ? oauthRoutes.device_authorization : oauthRoutes.token;
  const bytes = Buffer.from(new URLSearchParams(form).toString());
  incoming.headers["content-type"] = "application/x-www-form-urlencoded";
  incoming.headers["content-length"] = String(bytes.length);
  // The body was read above: the provider reads this one.
  Object.defineProperties(incoming, { readable: { value: true }, iterator: { value: () => [bytes] } });
  reworded.set(
    incoming,
    isStart ? (answer) => rewordStart(answer, form.client_id ?? "", base_url) : rewordPoll,
  );
}

/** The answer to give in place of the provider's. */
export function rewordAnswer(incoming: IncomingMessage, answer: Answer): Answer | undefined {
  return reworded.get(incoming)?.(answer);
}

function writeStart(json: Body): Record<string, string> {
  const { resource, authorization_details: details } = json;
  return {
    client_id: requireText(json, "client_id"),
    ...(resource === undefined ? {} : { resource: requireText(json, "resource") }),
    ...(details === undefined ? {} : { authorization_details: JSON.stringify(details) }),
  };
}

function writePoll(json: Body, client_id: string): Record<string, string> {
  return { grant_type: DEVICE_GRANT, client_id, device_code: requireText(json, "polling_code") };
}

function rewordStart({ status, body }: Answer, client_id: string, base_url: string): Answer {
  const { device_code, user_code, verification_uri_complete, interval = 5, expires_in } = body as Body;
  if (status !== 200) return { status, body };
  const poll_url = `${base_url}${AGENT_CONNECT}/token?${new URLSearchParams({ client_id })}`;
  const approval = {
    object: "agent_connect_attempt",
    status: "pending",
    approval_url: verification_uri_complete,
  };
  // The program waits for `interval` milliseconds where there is no `interval_ms`.
  const waits = { interval, interval_ms: Number(interval) * 1000, expires_in };
  return {
    status,
    body: {
      ...approval,
      user_code,
      ...waits,
      client_id,
      poll_url,
      token_url: poll_url,
      polling_code: device_code,
    },
  };
}

function rewordPoll({ status, body }: Answer): Answer {
  const { error } = body as Body;
  if (PENDING.includes(String(error))) return { status: 202, body: { status: "pending" } };
  return { status, body: status === 200 ? { status: "approved", ...body } : body };
}

async function readJson(request: Request): Promise<Body> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of request.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > BODY_MAX_BYTES) throw new ApiError("request_too_large", { max_bytes: BODY_MAX_BYTES });
  }
  try {
    const json: unknown = JSON.parse(text);
    if (json !== null && typeof json === "object") return json as Body;
  } catch {}
  throw new ApiError("invalid_request", { message: "The body is not a JSON object." });
}

function requireText(json: Body, param: string): string {
  const text = json[param];
  if (typeof text === "string" && text !== "") return text;
  throw new ApiError("invalid_request", { param, message: `${param}: is missing, or not a text.` });
}
