/** Links to pages. */
import { formatRecordPage } from "@rungs/contract";
import type { RecordRef } from "@rungs/evidence";

type Parameters = Readonly<Record<string, string | number | undefined>>;

/** Appends query parameters to a path; leaves out undefined ones. */
export function withQuery(path: string, parameters: Parameters): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${search}`;
}

/** The page that shows a window of a field. */
export function fieldPage(ref: RecordRef, field_path: string, parameters: Parameters = {}): string {
  return withQuery(`${formatRecordPage(ref)}/field`, { field_path, ...parameters });
}
