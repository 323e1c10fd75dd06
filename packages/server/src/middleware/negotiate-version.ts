import { ApiError, PDPP_VERSIONS } from "@rungs/contract";
import type { Middleware } from "./trace.ts";

/** Uses the requested protocol version, by default the specification's, and names it in every response. */
export function negotiateVersion(): Middleware {
  return async (context, next) => {
    const requested = context.req.header("PDPP-Version");
    const supported = PDPP_VERSIONS.find((version) => version === (requested ?? PDPP_VERSIONS[0]));
    context.header("PDPP-Version", supported ?? PDPP_VERSIONS[0]);
    if (!supported) {
      const supported_versions = [...PDPP_VERSIONS];
      throw new ApiError("unsupported_version", { param: "PDPP-Version", supported_versions });
    }
    context.set("version", supported);
    await next();
  };
}
