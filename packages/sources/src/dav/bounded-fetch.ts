/** Read-only, bounded requests to hosts that the owner named (R77, R79). */
import { ApiError } from "@rungs/contract";
import { NotHttp, sendRequest } from "../send-request.ts";
import { davLimits as limits } from "./limits.ts";
import { type DavSettings, listDavHosts } from "./settings.ts";

const METHODS: ReadonlySet<string> = new Set(["GET", "OPTIONS", "PROPFIND", "REPORT"]);

/** Creates the function that sends the requests of a session. Redirects are returned, not followed. */
export function createBoundedFetch(settings: DavSettings, signal: AbortSignal): typeof fetch {
  const hosts = new Set(listDavHosts(settings));
  return (input, init = {}) => {
    const url = new URL(String(input instanceof Request ? input.url : input));
    const method = init.method ?? "GET";
    if (!METHODS.has(method)) throw new Error(`${method} would change data at the source.`);
    if (!hosts.has(url.host) || (url.protocol === "http:" && !settings.url.startsWith("http:")))
      throw new ApiError("source_unsafe", {
        message: `The server sends on to ${url.protocol}//${url.host}, which this source does not name. Nothing was sent there.`,
        next: `If that host is right, remove the source and add it again with --host ${url.host}.`,
      });
    return sendRequest(url, { ...init, method }, { ca: settings.ca, signal, limits }).catch((error) => {
      throw error instanceof NotHttp ? notDav() : error;
    });
  };
}

/** The error for a response that no DAV server would send. */
export function notDav(message = "The server sent an answer that is not WebDAV."): ApiError {
  return new ApiError("source_broken", { message });
}
