/** The console's page of a record: its owner can open it, and hosts cite a result only by such an address (R32). */
import { formatRecordId, formatRecordUri, parseRecordId, type RecordRef } from "@rungs/evidence";

const FOLDER = "/console/records/";
const URI_START = "pdpp://record/";

/** The path of a record's page: it ends with the record's id or, where that is shorter, with the handle of its URI. */
export function formatRecordPage(ref: RecordRef): string {
  const id = encodeURIComponent(formatRecordId(ref));
  const handle = formatRecordUri(ref).slice(URI_START.length);
  return FOLDER + (id.length <= handle.length ? id : handle);
}

/** Which record a page is of, by the last part of its path, decoded; refuses one that names no record of a connection. */
export function requireRecordOfPage(name: string): RecordRef {
  const {
    connection_id = "",
    stream,
    record_id,
  } = parseRecordId(name.includes(":") ? name : URI_START + name);
  return { connection_id, stream, record_id };
}
