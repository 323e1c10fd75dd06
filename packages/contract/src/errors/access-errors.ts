import { errorRow } from "./error-row.ts";

/** Errors of authentication and authorization: tokens, grants, hosts and origins. */
export const accessErrors = {
  missing_token: errorRow(
    401,
    "This call needs a bearer token.",
    "Send Authorization: Bearer with a token from rungs connect or rungs grant create.",
  ),
  invalid_token: errorRow(
    401,
    "The token is unknown or no longer valid.",
    "Sign in again, or ask the owner for a new grant.",
  ),
  administrator_required: errorRow(
    403,
    "Only an administrator of this server may do this.",
    "Ask the server's administrator.",
  ),
  owner_token_required: errorRow(
    403,
    "Only the owner may do this.",
    "Use an owner token; a client's grant never allows it.",
  ),
  client_token_required: errorRow(
    403,
    "This call needs a client's grant-scoped token, not an owner token.",
    "Create a grant for the client and use its token.",
  ),
  write_only_token: errorRow(
    403,
    "The token may only write to its connection.",
    "To read, use the token of a grant; to write elsewhere, ask the owner for another token.",
  ),
  callback_not_approved: errorRow(
    403,
    "The owner has not approved this address for messages.",
    "Ask the owner to approve it with rungs events allow.",
  ),
  subscription_inactive: errorRow(
    409,
    "The subscription sends no messages.",
    "Switch it on with enabled: true, or create another one.",
  ),
  insufficient_scope: errorRow(
    403,
    "The token does not allow this call.",
    "Ask the owner for a grant that covers it.",
  ),
  field_not_granted: errorRow(
    403,
    "The grant does not cover this field.",
    "Call schema to see the granted fields.",
  ),
  grant_stream_not_allowed: errorRow(
    403,
    "The grant does not cover this stream or connection.",
    "Call schema to see the granted streams and connections.",
  ),
  grant_time_range_exceeded: errorRow(
    403,
    "The grant does not cover this time.",
    "Ask for a time within the granted range; schema shows it.",
  ),
  grant_expired: errorRow(403, "The grant has expired.", "Ask the owner for a new grant."),
  grant_revoked: errorRow(403, "The owner has revoked the grant.", "Ask the owner for a new grant."),
  grant_invalid: errorRow(
    403,
    "The grant cannot be used: it is malformed, used up or not the caller's.",
    "Ask the owner for a new grant.",
  ),
  grant_conflict: errorRow(
    400,
    "Two entries cover the same stream of the same connection.",
    "Merge them into one entry.",
  ),
  host_not_allowed: errorRow(
    403,
    "The Host header names a host that this server does not serve.",
    "Use the address that the server was started with.",
  ),
  origin_not_allowed: errorRow(
    403,
    "Pages of this origin may not call the server.",
    "Call it from the console's own address, or from a program that is not a web page.",
  ),
} as const;
