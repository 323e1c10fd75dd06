import { errorRow } from "./error-row.ts";

/** Errors of HTTP itself, of limits and of the server's state. */
export const serviceErrors = {
  method_not_allowed: errorRow(
    405,
    "This address does not support this method.",
    "Use a method that the Allow header lists.",
  ),
  not_acceptable: errorRow(
    406,
    "The Accept header allows none of the answer's media types.",
    "Accept application/json, or application/x-ndjson for an export.",
  ),
  request_timeout: errorRow(
    408,
    "The request did not arrive in time.",
    "Send it again, in smaller parts if it is large.",
  ),
  stream_too_long: errorRow(
    408,
    "The answer took too long to send and was cut off.",
    "Read it faster, or ask for one stream of one connection at a time.",
  ),
  request_too_large: errorRow(413, "The request body is larger than max_bytes.", "Send it in smaller parts."),
  unsupported_media_type: errorRow(
    415,
    "This call does not accept the body's media type.",
    "Send application/json, or application/x-ndjson for records.",
  ),
  rate_limited: errorRow(
    429,
    "Too many requests in a short time.",
    "Wait as long as the Retry-After header says, then retry.",
  ),
  budget_exhausted: errorRow(
    429,
    "The answer would exceed what the grant lets this client read.",
    "Ask for fewer records or a smaller window; budget says what is left.",
  ),
  request_quota_exceeded: errorRow(
    429,
    "The owner of this data has used up this minute's requests.",
    "Wait as long as the Retry-After header says, then retry; the server's administrator sets the quota.",
  ),
  header_too_large: errorRow(
    431,
    "The request's headers or address are too large.",
    "Send fewer or shorter parameters.",
  ),
  internal_error: errorRow(
    500,
    "The server failed to answer.",
    "Retry once; if it fails again, give the owner the request_id.",
  ),
  database_newer: errorRow(
    500,
    "A newer version of the program created the database.",
    "Update rungs to that version or newer.",
  ),
  database_not_empty: errorRow(
    409,
    "The target database already holds data.",
    "Name a new file or an empty database with --to.",
  ),
  database_not_encrypted: errorRow(
    409,
    "The database is plain, and its envelope says that it is encrypted: rungs encrypt or rungs decrypt was interrupted. Nothing is lost.",
    "Run rungs encrypt or rungs decrypt again to finish it.",
  ),
  database_converting: errorRow(
    503,
    "The database is being encrypted or decrypted.",
    "Wait until rungs encrypt or rungs decrypt is done, and run the same command again.",
  ),
  key_missing: errorRow(
    500,
    "The database is encrypted, and no key was given.",
    "Give the key that it was encrypted with; nobody can read the data without it.",
  ),
  key_wrong: errorRow(
    500,
    "The key does not open the database.",
    "Give the key that it was encrypted with; nobody can read the data without it.",
  ),
  sealed_data_refused: errorRow(
    500,
    "A stored piece of text, of a file or of the index does not open with the key of the database: it was changed, moved or damaged there.",
    "Compare the database with a backup, and find out who can write to it.",
  ),
  key_refused: errorRow(
    500,
    "The key cannot be used.",
    "Correct what the message names, and run the same command again.",
  ),
  package_missing: errorRow(
    500,
    "An optional package that this needs is not installed.",
    "Install the package that the message names.",
  ),
  not_implemented: errorRow(
    501,
    "This server does not support this.",
    "Call schema or read /openapi.json to see what it supports.",
  ),
  unexpected_answer: errorRow(
    502,
    "This program does not understand the server's answer.",
    "Check that the address belongs to a Rungs server of the same version as this program.",
  ),
  quota_exceeded: errorRow(
    507,
    "The owner of this data has no room left on this server.",
    "Delete data that you do not need, or ask the server's administrator for more room.",
  ),
  draining: errorRow(
    503,
    "The server is about to stop.",
    "Send requests to another server, or to this one once it runs again.",
  ),
  read_cancelled: errorRow(
    503,
    "The read ended early: its caller hung up, or the server is stopping.",
    "Send the request again.",
  ),
  database_busy: errorRow(
    503,
    "Another program is still writing to the database.",
    "Wait until it is done (a large import, for example), and retry.",
  ),
  sync_busy: errorRow(
    409,
    "Another process is reading this source.",
    "Wait until it is done; rungs sync list shows when.",
  ),
  source_refused: errorRow(
    502,
    "The source refused the sign-in.",
    "Check the user name and the password; many providers require an app password. rungs sync password changes it.",
  ),
  source_unreachable: errorRow(
    502,
    "The source cannot be reached.",
    "Check its address and your network; the next run retries.",
  ),
  source_throttled: errorRow(
    503,
    "The source is throttling requests.",
    "Nothing to do: a later run resumes where this one stopped.",
  ),
  source_unsafe: errorRow(
    502,
    "The connection to the source is not secure.",
    "Check the address and the certificate of the server; nothing was sent to it.",
  ),
  source_broken: errorRow(
    502,
    "The source's answer breaks its protocol or exceeds a limit.",
    "Check that the address belongs to the right server; what was stored before stays.",
  ),
  embeddings_unavailable: errorRow(
    503,
    "The embedding service returned no vectors.",
    "Check that it is running and offers the model, then retry; rungs embeddings show names it.",
  ),
  authorization_server_unavailable: errorRow(
    503,
    "The authorization server that issues the tokens did not answer.",
    "Try again shortly.",
  ),
  masking_unfinished: errorRow(
    503,
    "The records that this grant masks are still being masked.",
    "Try again in a few seconds.",
  ),
  rule_unfinished: errorRow(
    503,
    "A rule of the owner is still being applied to the records.",
    "Try again in a few seconds.",
  ),
  database_unavailable: errorRow(
    503,
    "The database cannot be reached.",
    "Try again shortly; rungs doctor says more.",
  ),
} as const;
