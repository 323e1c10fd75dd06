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
    throw await readRefusal(operation, answer);
  };
}

/** The statuses with which a server answers an unknown call. */
const UNKNOWN_CALL = [404, 405, 501];
const CODE_CHARS = 60;

/** Another server, or a proxy in its place, may have answered: without an error body, or with an error of its own. */
async function readRefusal({ name, method, path }: Operation, answer: Response): Promise<ApiError> {
  const body: unknown = await answer.json().catch(() => undefined);
  const parsed = errorBodySchema.safeParse(body);
  const refusal = parsed.success ? toRefusal(parsed.data) : undefined;
  // Without its id, nobody could look the error up.
  const isFound = refusal?.code !== "internal_error" || refusal.details.request_id !== undefined;
  if (refusal && isFound) return refusal;
  const { status } = answer;
  const request_id = answer.headers.get("Request-Id");
  const facts = [`status ${status}`, readForeignCode(body), request_id && `request ${request_id}`];
  const given = facts.filter((fact) => fact).join(", ");
  const message = UNKNOWN_CALL.includes(status)
    ? `The server does not offer ${name} (${method} ${path}): it answered with ${given}.`
    : given.includes("unsupported_version")
      ? `The server does not speak version ${CONTRACT_VERSION}, which this program needs: it answered ${name} with ${given}.`
      : `The server refused ${name} with an error that this program does not know: ${given}.`;
  return new ApiError("unexpected_answer", { message });
}

/** The code of another server's error; its message may hold anything. */
function readForeignCode(body: unknown): string | undefined {
  const error = (body as { error?: unknown } | null | undefined)?.error;
  const code = typeof error === "string" ? error : (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" && /^[\w.-]+$/.test(code) ? `code ${code.slice(0, CODE_CHARS)}` : undefined;
}

/** The error that a body describes; undefined when its code is unknown. */
export function toRefusal({ error }: ErrorBody): ApiError | undefined {
  const { type: _, code, param, ...details } = error;
  if (!isErrorCode(code)) return undefined;
  return new ApiError(code, { ...details, ...(param === undefined ? {} : { param }) });
}
