/** Reads what answering needs from a request. */
import { type AnswerForm, ApiError, type WireRequest } from "@rungs/contract";
import type { Context } from "hono";
import type { ServerEnv } from "../middleware/trace.ts";
import type { Settings } from "../settings/options.ts";

const TYPES: Partial<Record<AnswerForm, string>> = {
  json: "application/json",
  ndjson: "application/x-ndjson",
};

/** Throws when the caller does not accept the operation's media type (RFC 9110 §12.5.1). */
export function requireAcceptable(accept: string | undefined, form: AnswerForm): void {
  const type = TYPES[form];
  if (type === undefined || accept === undefined || accept.trim() === "") return;
  const isAccepted = accept.split(",").some((range) => {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const isRefused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    return !isRefused && [type, "application/*", "*/*"].includes(name);
  });
  if (!isAccepted) throw new ApiError("not_acceptable");
}

/** The URL of this server as the caller sees it; `checkHost` has validated the host. */
export function resolveBaseUrl({ req }: Context<ServerEnv>, { base_url }: Settings): string {
  return base_url ?? new URL(req.url).origin;
}

/** The parts of a request that the contract parses. */
export function readWire({ req }: Context<ServerEnv>): WireRequest {
  return {
    path: req.param(),
    query: new URL(req.url).searchParams,
    header: (name) => req.header(name),
  };
}
