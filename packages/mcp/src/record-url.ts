import { formatRecordId, formatRecordUri, type RecordRef } from "@rungs/evidence";

/**
 * The console's page of a record, which its owner can open; hosts cite a result only by such an address (R32). It ends
 * with the record's id or, where that is shorter, with the handle of its URI.
 */
export function formatRecordUrl(base_url: string, ref: RecordRef): string {
  const id = encodeURIComponent(formatRecordId(ref));
  const handle = formatRecordUri(ref).split("/").at(-1) ?? "";
  return `${base_url}/records/${id.length <= handle.length ? id : handle}`;
}
