import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { UsageError } from "../command/exit.ts";
import { refuseConnection, refuseRequest } from "./client-error.ts";

/** How a server waits. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** How long headers may take to arrive. */
  readonly headers_ms?: number;
  /** How long nothing may move on a connection. */
  readonly idle_ms?: number;
  /** How long running requests may go on after `stop`. */
  readonly stop_ms?: number;
}

/** A server that listens. */
export interface Listening {
  readonly url: string;
  /** Takes no more requests, lets the running ones finish, then hangs up. */
  stop(): Promise<void>;
}

/** How long a whole request may take to arrive: a large import on a slow line does. */
const REQUEST_MS = 60 * 60 * 1000;
/** More than the app allows, so that it is the app that refuses. */
const MAX_HEADER_BYTES = 32_768;

/** Serves an app over HTTP. */
export async function listen(
  fetch: (request: Request, env: object) => Response | Promise<Response>,
  options: ListenOptions,
): Promise<Listening> {
  const { host, port, headers_ms = 15_000, idle_ms = 120_000, stop_ms = 10_000 } = options;
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: headers_ms,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: Math.min(headers_ms, 5_000),
      keepAliveTimeout: 10_000,
      requireHostHeader: false,
    },
    getRequestListener(fetch, { errorHandler: refuseRequest }),
  );
  server.timeout = idle_ms;
  server.on("clientError", refuseConnection);
  await startListening(server, host, port);
  return { url: urlOf(server, host), stop: () => stop(server, stop_ms) };
}

function startListening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: Error & { code?: string }) =>
      reject(describeListenError(error, host, port)),
    );
    server.listen(port, host, resolve);
  });
}

function describeListenError(error: Error & { code?: string }, host: string, port: number): Error {
  switch (error.code) {
    case "EADDRINUSE":
      return new Error(`Port ${port} is in use: stop the other program, or choose another port with --port.`);
    case "EACCES":
      return new Error(`Port ${port} may not be used by this user: choose one above 1023 with --port.`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new UsageError(`${host} is not an address of this machine: choose another with --host.`);
    default:
      return error;
  }
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** A connection that is kept alive falls idle when its last request is done, and is closed then. */
async function stop(server: Server, stop_ms: number): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const late = setTimeout(() => server.closeAllConnections(), stop_ms);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(idle);
  clearTimeout(late);
}
