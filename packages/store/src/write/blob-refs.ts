import { blobRefSchema, formatFieldPath, MAX_PATH_CHARS } from "@rungs/evidence";
import { walk } from "../rows/walk.ts";

/** A place in a record that refers to a blob. */
export interface BlobPlace {
  readonly blob_id: string;
  readonly field: string;
  readonly path: string;
}

/** Every `blob_ref` in a record's data that has a path. */
export function findBlobRefs(data: Readonly<Record<string, unknown>>): BlobPlace[] {
  const places: BlobPlace[] = [];
  for (const [field, value] of Object.entries(data)) {
    walk(value, [field], (each, path) => {
      const found = hasBlobId(each) ? blobRefSchema.safeParse(each).data : undefined;
      const place = formatFieldPath(path);
      if (found && place.length <= MAX_PATH_CHARS)
        places.push({ blob_id: found.blob_id, field, path: place });
      return !found;
    });
  }
  return places;
}

/** A cheap check before the full one: most values are not references. */
function hasBlobId(value: unknown): boolean {
  return value !== null && typeof value === "object" && Object.hasOwn(value, "blob_id");
}
