import {
  ApiError,
  CONTRACT_VERSION,
  type ErrorBody,
  errorBodySchema,
  type InputOf,
  isErrorCode,
  type Operation,
  writeCall,
} from "@rungs/contract";
import { reach } from "./unreachable.ts";

/** A `fetch`: the platform's, or an app's own. */
export type Fetch = (url: string, init: RequestInit) => Response | Promise<Response>;

/** A token, or a function that returns the current one. */
export type BearerToken = string | (() => Promise<string>);

interface SenderOptions {
  readonly base_url: string;
  readonly token: BearerToken | undefined;
  readonly fetch: Fetch;
  readonly signal: AbortSignal | undefined;
}

/** Creates the function that sends a call; it throws on every status but success. */
export function createSender({ base_url, token, fetch, signal }: SenderOptions) {
  return async <O extends Operation>(
    operation: O,
    input: InputOf<O>,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Response> => {
    const { method, path, query, headers } = writeCall(operation, input);
    const search = new URLSearchParams();
    for (const [name, value] of query) search.append(name, value);
    const url = `${base_url}${path}${search.size === 0 ? "" : `?${search}`}`;
    const bearer = typeof token === "function" ? await token() : token;
    const authorization = bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` };
    const version = { "PDPP-Version": CONTRACT_VERSION };
    const init = {
      method,
      headers: { ...headers, ...version, ...authorization, ...more },
      redirect: "error",
      ...(signal && { signal }),
    } as const;
    const answer = await reach(base_url, () => fetch(url, init));
    if (answer.ok) return answer;
    throw await readRefusal(answer);
  };
}

/** A proxy may have answered in the server's place, without an error body. */
async function readRefusal(answer: Response): Promise<ApiError> {
  const parsed = errorBodySchema.safeParse(await answer.json().catch(() => undefined));
  const refusal = parsed.success ? toRefusal(parsed.data) : undefined;
  const request_id = answer.headers.get("Request-Id");
  const message = `The server answered with status ${answer.status}${request_id ? ` (request ${request_id})` : ""}, without an error that this program knows.`;
  return refusal ?? new ApiError("unexpected_answer", { message });
}

/** The error that a body describes; undefined when its code is unknown. */
export function toRefusal({ error }: ErrorBody): ApiError | undefined {
  const { type: _, code, param, ...details } = error;
  if (!isErrorCode(code)) return undefined;
  return new ApiError(code, { ...details, ...(param === undefined ? {} : { param }) });
}
