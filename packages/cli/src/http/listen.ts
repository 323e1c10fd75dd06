import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { UsageError } from "../command/exit.ts";
import { refuseConnection, refuseRequest } from "./client-error.ts";
import type { FloodGate } from "./flood-gate.ts";

/** Where to listen, and the timeouts. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** How long headers may take to arrive. */
  readonly headers_ms?: number;
  /** How long a connection may be idle. */
  readonly idle_ms?: number;
  /** How long in-flight requests may take after `stop`. */
  readonly stop_ms?: number;
  /** Holds requests back before the app gets them. */
  readonly gate?: FloodGate;
  /** Aborts when the server is about to stop: clients then reconnect for the next request, and reach another one. */
  readonly leaving?: AbortSignal;
}

/** A listening server. */
export interface Listening {
  readonly url: string;
  /** Accepts no more requests, lets those in flight finish, then closes the connections. */
  stop(): Promise<void>;
}

/** How long a whole request may take to arrive: a large upload over a slow connection takes long. */
const REQUEST_MS = 60 * 60 * 1000;
/** Above the app's own limit, so that the app refuses with its own error. */
const MAX_HEADER_BYTES = 32_768;

/** Serves an app over HTTP. */
export async function listen(
  fetch: (request: Request, env: object) => Response | Promise<Response>,
  options: ListenOptions,
): Promise<Listening> {
  const { host, port, headers_ms = 15_000, idle_ms = 120_000, stop_ms = 10_000, gate, leaving } = options;
  const answer = getRequestListener(fetch, { errorHandler: refuseRequest });
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: headers_ms,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: Math.min(headers_ms, 5_000),
      keepAliveTimeout: 10_000,
      requireHostHeader: false,
    },
    (incoming, outgoing) => {
      if (leaving?.aborted) outgoing.shouldKeepAlive = false;
      if (gate) gate(incoming, outgoing, () => void answer(incoming, outgoing));
      else void answer(incoming, outgoing);
    },
  );
  server.timeout = idle_ms;
  server.on("clientError", refuseConnection);
  await startListening(server, host, port);
  return { url: formatUrl(server, host), stop: () => stop(server, stop_ms) };
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
      return new Error(`You have no permission to use port ${port}: choose one above 1023 with --port.`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new UsageError(`${host} is not an address of this machine: choose another with --host.`);
    default:
      return error;
  }
}

function formatUrl(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Closes keep-alive connections as they become idle, and all others after `stop_ms`. */
async function stop(server: Server, stop_ms: number): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const late = setTimeout(() => server.closeAllConnections(), stop_ms);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(idle);
  clearTimeout(late);
}
