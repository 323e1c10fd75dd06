import { ApiError } from "@rungs/contract";
import { PDPP_VERSIONS } from "../settings/version.ts";
import type { Middleware } from "./trace.ts";

/** Speaks the version that is asked for, the current one when none is, and says so on every answer. */
export function negotiateVersion(): Middleware {
  return async (context, next) => {
    const asked = context.req.header("PDPP-Version");
    const spoken = PDPP_VERSIONS.find((version) => version === (asked ?? PDPP_VERSIONS[0]));
    context.header("PDPP-Version", spoken ?? PDPP_VERSIONS[0]);
    if (!spoken) {
      const supported_versions = [...PDPP_VERSIONS];
      throw new ApiError("unsupported_version", { param: "PDPP-Version", supported_versions });
    }
    await next();
  };
}
