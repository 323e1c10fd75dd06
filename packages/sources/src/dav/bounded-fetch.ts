/** Requests that only read, only reach hosts that the owner named (R77, R79), and end. */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { ApiError } from "@rungs/contract";
import { davLimits as limits } from "./limits.ts";
import { type DavSettings, listDavHosts } from "./settings.ts";

const METHODS: ReadonlySet<string> = new Set(["GET", "OPTIONS", "PROPFIND", "REPORT"]);
/** Statuses whose answers have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

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
    return send(url, method, init, { ca: settings.ca, signal });
  };
}

interface Sending {
  readonly ca: string | undefined;
  readonly signal: AbortSignal;
}

function send(url: URL, method: string, init: RequestInit, { ca, signal }: Sending): Promise<Response> {
  const headers = Object.fromEntries(new Headers(init.headers));
  const body = typeof init.body === "string" ? init.body : "";
  const tls = { minVersion: "TLSv1.2", ...(ca === undefined ? {} : { ca }) } as const;
  const ends = AbortSignal.any([signal, AbortSignal.timeout(limits.answer_ms)]);
  return new Promise((resolve, reject) => {
    const sent = (url.protocol === "https:" ? requestHttps : requestHttp)(
      url,
      {
        method,
        ...tls,
        // No compression: a small answer could unpack to a huge one.
        headers: { ...headers, "accept-encoding": "identity", "content-length": Buffer.byteLength(body) },
        timeout: limits.silence_ms,
        signal: ends,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        let size = 0;
        answer.on("data", (chunk: Buffer) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size > limits.answer_bytes)
            answer.destroy(
              new ApiError("source_broken", { message: "The server sent an answer without end." }),
            );
        });
        answer.on("error", reject);
        answer.on("end", () => {
          const status = answer.statusCode ?? 0;
          const all = new Headers();
          for (const [name, value] of Object.entries(answer.headers))
            for (const each of [value ?? []].flat()) all.append(name, each);
          if (status < 200 || status > 599) return reject(notDav());
          resolve(new Response(EMPTY.has(status) ? null : Buffer.concat(chunks), { status, headers: all }));
        });
      },
    );
    sent.on("timeout", () => sent.destroy(Object.assign(new Error("timeout"), { code: "ETIMEOUT" })));
    sent.on("error", reject);
    sent.end(body);
  });
}

/** The error for an answer that no DAV server gives. */
export function notDav(message = "The server sent an answer that is not WebDAV."): ApiError {
  return new ApiError("source_broken", { message });
}
