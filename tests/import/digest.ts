/**
 * A digest of all of an owner's data: every record with its full text, whatever the order of its members, and the bytes
 * of every blob.
 */
import { createHash } from "node:crypto";
import { ownerScope, type ReadScope } from "@rungs/contract";
import type { Store, StoredRecord } from "@rungs/store";

/** A digest of the content of a database, and counts. */
export interface Contents {
  readonly digest: string;
  readonly records: number;
  readonly texts: number;
  readonly blobs: number;
}

/** Reads everything except import times, which differ from run to run. */
export async function digestContents(store: Store): Promise<Contents> {
  const [owner_id = ""] = await store.listOwners();
  const hash = createHash("sha256");
  const count = { records: 0, texts: 0, blobs: 0 };
  for (const connection of await store.listConnections(owner_id)) {
    const { connection_id, source_id, declaration_version } = connection;
    const manifest = await store.getManifest(owner_id, source_id, declaration_version);
    if (!manifest) throw new Error(`${connection_id} has no manifest.`);
    const scope = ownerScope(owner_id, [{ connection_id, manifest }]);
    for (const { name: stream } of manifest.streams) {
      for await (const record of listAll(store, scope, connection_id, stream)) {
        count.records += 1;
        hash.update(
          JSON.stringify([connection_id, stream, record.record_id, Object.entries(record.data).sort()]),
        );
        for (const { path, size_chars } of record.cuts) {
          const slice = await store.readField(scope, record, path, { start: 0, end: size_chars });
          hash.update(JSON.stringify([path, slice?.text]));
          count.texts += 1;
        }
        for (const blob_id of findBlobIds(record.data)) {
          for await (const piece of store.readBlob(scope, blob_id, { start: 0, end: 2 ** 40 }))
            hash.update(piece);
          count.blobs += 1;
        }
      }
    }
  }
  return { digest: hash.digest("hex"), ...count };
}

async function* listAll(
  store: Store,
  scope: ReadScope,
  connection_id: string,
  stream: string,
): AsyncGenerator<StoredRecord> {
  const request = { connection_id, stream, order: "asc", limit: 100 } as const;
  let page = await store.listRecords(scope, request);
  yield* page.records;
  while (page.next) {
    page = await store.listRecords(scope, { ...request, after: page.next });
    yield* page.records;
  }
}

function findBlobIds(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "blob_id" in value && typeof value.blob_id === "string" ? [value.blob_id] : [];
  return [...own, ...Object.values(value).flatMap(findBlobIds)];
}
