import type { Context } from "hono";
import type { ServerEnv } from "../middleware/trace.ts";
import type { Settings } from "../options.ts";

/** The address of this server as the caller sees it; the host has been checked. */
export function baseUrlOf({ req }: Context<ServerEnv>, { base_url }: Settings): string {
  return base_url ?? new URL(req.url).origin;
}
