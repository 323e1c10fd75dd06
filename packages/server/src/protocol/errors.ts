import type { ErrorBody } from "@rungs/contract";

/** The specification's code where it has one for several of ours; `detail_code` then has ours. */
const codes: Readonly<Record<string, string>> = {
  missing_token: "authentication_error",
  invalid_token: "authentication_error",
  cursor_foreign: "invalid_cursor",
  rate_limited: "rate_limit_exceeded",
  internal_error: "api_error",
};

/** An error with the code of the specification's table. */
export function toProtocolError({ error }: ErrorBody): ErrorBody {
  const code = codes[error.code];
  return { error: code === undefined ? error : { ...error, code, detail_code: error.code } };
}
