import { type FieldPath, blobRefSchema, formatFieldPath } from "@rungs/evidence";

/** A place in a record that refers to a blob. */
export interface BlobPlace {
  readonly blob_id: string;
  readonly field: string;
  readonly path: string;
}

/** Every `blob_ref` in a record's data. */
export function findBlobRefs(data: Readonly<Record<string, unknown>>): BlobPlace[] {
  const places: BlobPlace[] = [];
  for (const [field, value] of Object.entries(data)) collect(value, [field], field, places);
  return places;
}

function collect(value: unknown, path: FieldPath, field: string, places: BlobPlace[]): void {
  if (value === null || typeof value !== "object") return;
  if (Array.isArray(value)) value.forEach((item, at) => collect(item, [...path, at], field, places));
  else if (Object.hasOwn(value, "blob_id") && blobRefSchema.safeParse(value).success) {
    places.push({ blob_id: (value as { blob_id: string }).blob_id, field, path: formatFieldPath(path) });
  } else {
    for (const [name, item] of Object.entries(value)) collect(item, [...path, name], field, places);
  }
}
