import { formatRecordPage } from "@rungs/contract";
import { countChars, type RecordIdentity, sliceChars } from "@rungs/evidence";

const TITLE_CHARS = 200;

/** What ChatGPT cites a record by: a title that is never empty, and the record's page at the server that was asked (R32). */
export function citeRecord(title: string | null | undefined, record: RecordIdentity, base_url: string) {
  return { title: title ?? shorten(record.id), url: base_url + formatRecordPage(record) };
}

function shorten(id: string): string {
  return countChars(id) <= TITLE_CHARS ? id : `${sliceChars(id, 0, TITLE_CHARS - 1)}…`;
}
