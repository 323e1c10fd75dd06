import { formatRecordPage, renderLabel } from "@rungs/contract";
import type { RecordIdentity } from "@rungs/evidence";

const TITLE_CHARS = 200;

/** What ChatGPT cites a record by: a title that is never empty, and the record's page at the server that was asked (R32). */
export function citeRecord(title: string | null | undefined, record: RecordIdentity, base_url: string) {
  return { title: title ?? renderLabel(record.id, TITLE_CHARS), url: base_url + formatRecordPage(record) };
}
