/** The URL of a record's console page: the owner can open it, and hosts cite results by it (R32). */
import { formatRecordId, formatRecordUri, parseRecordId, type RecordRef } from "@rungs/evidence";

const FOLDER = "/console/records/";
const URI_START = "pdpp://record/";

/** Formats the path of a record's page: it ends with the record's id or, if shorter, with the handle of its URI. */
export function formatRecordPage(ref: RecordRef): string {
  const id = encodeURIComponent(formatRecordId(ref)).replaceAll("%3A", ":");
  const handle = formatRecordUri(ref).slice(URI_START.length);
  return FOLDER + (id.length <= handle.length ? id : handle);
}

/** Parses the decoded last segment of a page's path, or throws `invalid_record_id`. */
export function requireRecordOfPage(name: string): RecordRef {
  const {
    connection_id = "",
    stream,
    record_id,
  } = parseRecordId(name.includes(":") ? name : URI_START + name);
  return { connection_id, stream, record_id };
}
