/** Addresses of pages. */
import { formatRecordPage } from "@rungs/contract";
import type { RecordRef } from "@rungs/evidence";

type Parameters = Readonly<Record<string, string | number | undefined>>;

/** A path with its parameters; what is undefined is left out. */
export function withQuery(path: string, parameters: Parameters): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? path : `${path}?${search}`;
}

/** The page of a window of a field. */
export function fieldPage(ref: RecordRef, field_path: string, parameters: Parameters = {}): string {
  return withQuery(`${formatRecordPage(ref)}/field`, { field_path, ...parameters });
}
