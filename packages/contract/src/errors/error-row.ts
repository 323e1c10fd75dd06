/** One error code of the registry, as HTTP, MCP and the command line print it. */
export interface ErrorRow {
  readonly status: number;
  readonly type: ErrorType;
  /** The default message; an error may have a more exact one. */
  readonly message: string;
  /** What to do next, in one sentence. */
  readonly next: string;
}

/** The error families of the protocol; a family follows from the status. */
export const errorTypes = [
  "invalid_request_error",
  "authentication_error",
  "permission_error",
  "not_found_error",
  "conflict_error",
  "gone_error",
  "rate_limit_error",
  "api_error",
] as const;

/** An error family of the protocol. */
export type ErrorType = (typeof errorTypes)[number];

/** Creates one row of the registry. */
export function errorRow(status: number, message: string, next: string): ErrorRow {
  return { status, type: classifyStatus(status), message, next };
}

function classifyStatus(status: number): ErrorType {
  if (status >= 500) return "api_error";
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 409:
      return "conflict_error";
    case 410:
      return "gone_error";
    case 429:
      return "rate_limit_error";
    default:
      return "invalid_request_error";
  }
}
