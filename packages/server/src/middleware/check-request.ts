import { ApiError, PDPP_VERSIONS } from "@rungs/contract";
import type { Limits } from "../settings/limits.ts";
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

/** Refuses a request whose URL and headers together are too large. */
export function checkSize({ header_bytes: max_bytes }: Limits): Middleware {
  return async (context, next) => {
    let size = context.req.url.length;
    context.req.raw.headers.forEach((value, name) => {
      size += name.length + value.length;
    });
    if (size > max_bytes) throw new ApiError("header_too_large", { max_bytes });
    await next();
  };
}

/** Refuses a URL that is not percent-encoded UTF-8 instead of guessing its meaning. */
export function checkEncoding(): Middleware {
  return async (context, next) => {
    const { pathname, search } = new URL(context.req.url);
    if (!isEncoded(pathname)) refuse("path");
    if (!isEncoded(search)) refuse("query");
    await next();
  };
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function refuse(part: string): never {
  const message = `The ${part} of the address is not percent-encoded UTF-8.`;
  throw new ApiError("invalid_request", { param: part, message });
}
