import { errorRow } from "./error-row.ts";

/** Errors in a read request: parameters, ids, paths, selectors and cursors. */
export const readErrors = {
  invalid_request: errorRow(
    400,
    "A parameter of the request is unknown, missing or malformed.",
    "Correct the parameter that param names and send the request again.",
  ),
  invalid_expand: errorRow(
    400,
    "Expanding related records is not supported.",
    "Send the request without expand.",
  ),
  unknown_field: errorRow(
    400,
    "The stream declares no such field.",
    "Call schema to see the fields, then name one of them.",
  ),
  unsupported_version: errorRow(
    400,
    "This PDPP-Version is not supported.",
    "Omit the PDPP-Version header, or send one of supported_versions.",
  ),
  invalid_record_id: errorRow(
    400,
    "The id is not a record id.",
    "Pass an id exactly as shown by search or query_records: connection_id/stream:record_id or pdpp://record/….",
  ),
  connection_conflict: errorRow(
    400,
    "The id and connection_id name different connections.",
    "Omit connection_id: the id already names its connection.",
  ),
  ambiguous_connection: errorRow(
    409,
    "Several connections could answer this.",
    "Repeat the request with connection_id set to one of available_connections.",
  ),
  invalid_field_path: errorRow(
    400,
    "The field path is not a path.",
    'Write it like body, payload.parts[2].text or ["a.b"].c.',
  ),
  invalid_selector: errorRow(
    400,
    "These window parameters cannot be combined.",
    "Use one of: cursor alone, offset_chars with limit_chars, or q with before_chars and after_chars.",
  ),
  invalid_query: errorRow(
    400,
    "The query has nothing to search for.",
    "Send q in plain words, or write it as the message says.",
  ),
  work_limit_exceeded: errorRow(
    422,
    "This request needs more work than one request is allowed.",
    "Use fewer words, phrases and prefixes, or narrow by stream, connection_id, since, until and filter.",
  ),
  invalid_cursor: errorRow(
    400,
    "This server did not create the cursor.",
    "Start again without a cursor, and pass the next one on exactly as given.",
  ),
  cursor_foreign: errorRow(
    400,
    "The cursor belongs to another record, field, request or grant.",
    "Start again without a cursor for what you want to read now.",
  ),
  cursor_stale: errorRow(
    409,
    "The data behind the cursor has changed since it was created.",
    "Read again from the start, without a cursor.",
  ),
  cursor_expired: errorRow(
    410,
    "The cursor is too old.",
    "Start again without a cursor; for changes_since, list the whole stream once more.",
  ),
  match_not_found: errorRow(
    404,
    "The text does not occur in this field.",
    "Read by offset_chars, or search for other words.",
  ),
  field_not_text: errorRow(
    400,
    "The field is binary and has no text.",
    "Call read_blob with its blob_id for a bounded range of bytes.",
  ),
  field_not_searchable: errorRow(
    400,
    "The field is not declared searchable.",
    "Read it with read_record_field, or search without naming the field.",
  ),
  not_found: errorRow(
    404,
    "There is no such thing within this grant.",
    "Check the id, or find the record with search or query_records.",
  ),
  blob_not_found: errorRow(
    404,
    "No record within this grant refers to this blob.",
    "Take the blob_id from a blob_ref field of a record you can read.",
  ),
  range_not_satisfiable: errorRow(
    416,
    "The byte range is outside the blob.",
    "Request a range within size_bytes; HEAD returns the size.",
  ),
} as const;
