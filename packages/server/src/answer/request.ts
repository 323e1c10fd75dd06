import { type AnswerForm, ApiError } from "@rungs/contract";
import type { Context } from "hono";
import type { ServerEnv } from "../middleware/trace.ts";
import type { Settings } from "../settings/options.ts";

const TYPES: Partial<Record<AnswerForm, string>> = {
  json: "application/json",
  ndjson: "application/x-ndjson",
};

/** Refuses a caller that takes no form in which the answer can be written (RFC 9110 §12.5.1). */
export function requireAcceptable(accept: string | undefined, form: AnswerForm): void {
  const type = TYPES[form];
  if (type === undefined || accept === undefined || accept.trim() === "") return;
  const takes = accept.split(",").some((range) => {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const isRefused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    return !isRefused && [type, "application/*", "*/*"].includes(name);
  });
  if (!takes) throw new ApiError("not_acceptable");
}

/** The address of this server as the caller sees it; the host has been checked. */
export function resolveBaseUrl({ req }: Context<ServerEnv>, { base_url }: Settings): string {
  return base_url ?? new URL(req.url).origin;
}
