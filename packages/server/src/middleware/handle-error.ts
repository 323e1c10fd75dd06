import { ApiError, CONTRACT_VERSION, describeRefusal, type ErrorBody, operations } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import type { Context, ErrorHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { DPOP_ALGORITHMS } from "../access/dpop.ts";
import type { Settings } from "../settings/options.ts";
import { toOutageError } from "./outage.ts";
import { formatFailure, type ServerEnv } from "./pipeline.ts";

/** The specification's code, where it has one for several of ours; `detail_code` then holds ours. */
const codes: Readonly<Record<string, string>> = {
  missing_token: "authentication_error",
  invalid_token: "authentication_error",
  cursor_foreign: "invalid_cursor",
  rate_limited: "rate_limit_exceeded",
  internal_error: "api_error",
};

/** An error with the code of the specification's table. Its clients do not read `next`, so the message repeats it. */
function toProtocolError({ error }: ErrorBody): ErrorBody {
  const code = codes[error.code];
  const message = error.next === undefined ? error.message : `${error.message} ${error.next}`;
  return { error: { ...error, message, ...(code === undefined ? {} : { code, detail_code: error.code }) } };
}

/** Renders anything thrown as a coded error body; an unexpected error goes to the log and is hidden from the caller (R53). */
export function handleError(
  { renderRefusal }: Pick<Settings, "renderRefusal">,
  resolveUrl: (context: Context<ServerEnv>) => string,
): ErrorHandler<ServerEnv> {
  return async (thrown, context) => {
    const trace = context.get("trace");
    const error = toOutageError(thrown);
    const { status, body } = describeRefusal(error, trace.request_id);
    trace.code = body.error.code;
    if (body.error.code === "internal_error") trace.failure = formatFailure(thrown);
    for (const [name, value] of listErrorHeaders(error, resolveUrl(context) + METADATA))
      context.header(name, value);
    const page = await renderRefusal(context.req.raw, status, body);
    if (page)
      return context.newResponse(page.body, status as ContentfulStatusCode, Object.fromEntries(page.headers));
    const isOwn = context.get("version") === CONTRACT_VERSION;
    const text = JSON.stringify(isOwn ? body : toProtocolError(body));
    return context.body(text, status as ContentfulStatusCode, {
      "Content-Type": "application/json",
      "Content-Length": String(Buffer.byteLength(text)),
    });
  };
}

/** RFC 9449 §7.1: a client with a key may bind its tokens to it. */
const DPOP = `DPoP algs="${DPOP_ALGORITHMS.join(" ")}"`;

const METADATA = operations.protected_resource.path;

/** The headers that HTTP requires with some errors; `metadata_url` says how to get a token (RFC 9728 §5.1). */
export function listErrorHeaders(error: unknown, metadata_url: string): [string, string][] {
  if (!(error instanceof CodedError)) return [];
  const { retry_after_seconds, allow, size_bytes, dpop_nonce } = error.details;
  const challenge = `Bearer realm="rungs", resource_metadata="${metadata_url}"`;
  switch (error.code) {
    case "missing_token":
      return [["WWW-Authenticate", `${challenge}, ${DPOP}`]];
    case "invalid_token":
      // RFC 9449 §9: the client sends the request again, with the nonce.
      return dpop_nonce === undefined
        ? [["WWW-Authenticate", `${challenge}, error="invalid_token", ${DPOP}`]]
        : [
            ["WWW-Authenticate", `${DPOP}, error="use_dpop_nonce", ${challenge}`],
            ["DPoP-Nonce", String(dpop_nonce)],
          ];
    case "budget_exhausted":
      return retry_after_seconds === undefined ? [] : [["Retry-After", String(retry_after_seconds)]];
    case "database_unavailable":
    case "masking_unfinished":
    case "rule_unfinished":
      return [["Retry-After", "2"]];
    case "draining":
      return [["Retry-After", "1"]];
    case "rate_limited":
      return [["Retry-After", String(retry_after_seconds)]];
    case "method_not_allowed":
      return [["Allow", String(allow)]];
    case "range_not_satisfiable":
      return [["Content-Range", `bytes */${size_bytes}`]];
    default:
      return [];
  }
}

/** Answers paths without a route. */
export function refuseUnknownPath(): never {
  throw new ApiError("not_found", {
    message: "There is nothing at this address.",
    next: "Read /openapi.json for what there is.",
  });
}
