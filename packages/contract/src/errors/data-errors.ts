import { errorRow } from "./error-row.ts";

/** Errors in incoming records, blobs and manifests. */
export const dataErrors = {
  invalid_manifest: errorRow(
    400,
    "The source declaration breaks a rule.",
    "Correct the place that param names and send the declaration again.",
  ),
  manifest_conflict: errorRow(
    409,
    "This version of the source declaration is already stored with different content.",
    "Give the changed declaration a new declaration_version.",
  ),
  invalid_record: errorRow(
    400,
    "The record does not fit its source declaration.",
    "Correct the place that param names, or declare it in a new version of the declaration.",
  ),
  invalid_key: errorRow(
    400,
    "The record's key breaks a rule.",
    "Use a key of 1 to 1,024 characters without control characters: a string, or a list of strings for a compound key.",
  ),
  invalid_text: errorRow(
    400,
    "The text is not valid Unicode: it contains a lone surrogate.",
    "Repair the text at param and offset_chars at the source, and send it again.",
  ),
  record_too_large: errorRow(
    413,
    "The record is larger than max_bytes.",
    "Move large binary values into blobs, or split the record.",
  ),
  unknown_stream: errorRow(
    400,
    "The source declaration has no such stream.",
    "Use a stream that the declaration names, or send a new version of it.",
  ),
  append_only_conflict: errorRow(
    409,
    "The stream is append-only and already holds another record with this key.",
    "Send it under a new key; records of this stream never change.",
  ),
  connection_not_found: errorRow(
    404,
    "There is no such connection.",
    "List the connections with rungs connections.",
  ),
  connection_exists: errorRow(
    409,
    "A connection with this id already exists, for another source.",
    "Choose another connection id.",
  ),
  file_unreadable: errorRow(
    400,
    "The file cannot be read.",
    "Check that it exists, is complete, and that you can read it.",
  ),
  item_unreadable: errorRow(
    400,
    "The item cannot be read.",
    "Look at its place in the export; the other items are imported.",
  ),
  archive_refused: errorRow(
    400,
    "The archive is not safe to read.",
    "Unpack it yourself if you trust it, and import the folder.",
  ),
  unknown_format: errorRow(
    400,
    "The format of the files is unknown.",
    "Name the format with --as, or bring the data in as records; rungs import --help says how.",
  ),
} as const;
