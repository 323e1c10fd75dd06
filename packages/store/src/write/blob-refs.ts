import { blobRefSchema, formatFieldPath, MAX_PATH_CHARS } from "@rungs/evidence";
import type { SqlContext } from "../database.ts";
import { walk } from "../rows/record-rows.ts";

/** A place in a record that refers to a blob. */
export interface BlobPlace {
  readonly blob_id: string;
  readonly field: string;
  readonly path: string;
}

/** The references of a record to blobs that its connection stored, and the first that names any other blob (R70). */
export async function resolveBlobRefs(
  { sql, owner }: SqlContext,
  connection_id: string,
  data: Readonly<Record<string, unknown>>,
): Promise<{ own: readonly BlobPlace[]; foreign: BlobPlace | undefined }> {
  const places = findBlobRefs(data);
  if (places.length === 0) return { own: places, foreign: undefined };
  const rows = await sql.all<{ blob_id: string }>(
    `SELECT blob_id FROM blob_sources WHERE owner = $1 AND connection_id = $2 AND ${sql.dialect.isAnyText("blob_id", "$3")}`,
    [owner, connection_id, places.map(({ blob_id }) => blob_id)],
  );
  const stored = new Set(rows.map(({ blob_id }) => blob_id));
  const isOwn = ({ blob_id }: BlobPlace) => stored.has(blob_id);
  return { own: places.filter(isOwn), foreign: places.find((place) => !isOwn(place)) };
}

/** Every `blob_ref` in a record's data that has a path. */
function findBlobRefs(data: Readonly<Record<string, unknown>>): BlobPlace[] {
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
