import { formatRecordPage } from "@rungs/contract";
import type { RecordRef } from "@rungs/evidence";

/** The address of a record's page at the server that was asked (R32). */
export function formatRecordUrl(base_url: string, ref: RecordRef): string {
  return base_url + formatRecordPage(ref);
}
