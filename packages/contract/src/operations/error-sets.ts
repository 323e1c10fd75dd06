import type { ErrorCode } from "../errors/errors.ts";

/** Errors of every operation. */
export const anyErrors = [
  "invalid_request",
  "unsupported_version",
  "method_not_allowed",
  "not_acceptable",
  "header_too_large",
  "request_timeout",
  "host_not_allowed",
  "origin_not_allowed",
  "rate_limited",
  "internal_error",
  "database_busy",
  "database_unavailable",
] as const satisfies readonly ErrorCode[];

/** Errors of every operation that takes a token. */
const tokenErrors = [
  ...anyErrors,
  "missing_token",
  "invalid_token",
  "write_only_token",
  "authorization_server_unavailable",
] as const satisfies readonly ErrorCode[];

/** Errors of every read under a grant. */
export const readErrorCodes = [
  ...tokenErrors,
  "insufficient_scope",
  "grant_expired",
  "grant_revoked",
  "grant_invalid",
  "grant_conflict",
  "grant_stream_not_allowed",
  "work_limit_exceeded",
  "read_cancelled",
  "masking_unfinished",
  "rule_unfinished",
  "budget_exhausted",
] as const satisfies readonly ErrorCode[];

/** Errors of every read of one stream. */
export const streamErrors = [
  ...readErrorCodes,
  "ambiguous_connection",
] as const satisfies readonly ErrorCode[];

/** Additional errors of paginated operations. */
export const cursorErrors = [
  "invalid_cursor",
  "cursor_foreign",
  "cursor_expired",
  "cursor_stale",
] as const satisfies readonly ErrorCode[];

/** Errors of owner-only operations. */
export const ownerErrors = [...tokenErrors, "owner_token_required"] as const satisfies readonly ErrorCode[];
