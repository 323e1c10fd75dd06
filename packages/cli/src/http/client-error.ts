import { randomBytes } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError, describeRefusal, PDPP_VERSIONS } from "@rungs/contract";

/** Node's codes for bytes that are not a valid HTTP request. */
const CODES = {
  HPE_HEADER_OVERFLOW: "header_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
} as const;

/** Answers bytes that are not HTTP with a coded error, like any other bad request, and closes the connection. */
export function refuseConnection(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const code = CODES[error.code as keyof typeof CODES] ?? "invalid_request";
  const { status, headers, text } = describeEarlyRefusal(createUnreadable(code));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}Connection: close\r\n\r\n${text}`,
  );
}

/** Answers a request whose URL or `Host` header is invalid. */
export function refuseRequest(): Response {
  const { status, headers, text } = describeEarlyRefusal(createUnreadable("invalid_request"));
  return new Response(text, { status, headers });
}

function createUnreadable(code: "header_too_large" | "request_timeout" | "invalid_request"): ApiError {
  const message = "The request is not valid HTTP.";
  return new ApiError(code, code === "invalid_request" ? { message } : {});
}

/** The response to a request that does not reach the app. */
export function describeEarlyRefusal(refusal: unknown) {
  const request_id = `req_${randomBytes(12).toString("base64url")}`;
  const { status, body } = describeRefusal(refusal, request_id);
  const text = JSON.stringify(body);
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(text)),
    "Request-Id": request_id,
    "PDPP-Version": PDPP_VERSIONS[0],
  };
  return { status, headers, text };
}
