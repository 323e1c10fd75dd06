/** Masks a few records without a masked copy of their stream: what a preview shows before a grant exists (R82). */
import { parseFieldPath } from "@rungs/evidence";
import type { Catalog } from "../catalog/catalog.ts";
import type { Database } from "../database.ts";
import type { Store, StoredCut, StoredRecord } from "../store.ts";
import { createMaskSecret, MASK_SECRET, openMasker, type StreamMasker } from "./stream-masker.ts";

export function createMaskedSamples(database: Database, catalog: Catalog, getSecret: Store["getSecret"]) {
  return {
    async maskRecords(owner_id, masks, records) {
      const [first] = records;
      if (!first) return [];
      const owner = await catalog.requireOwner(owner_id);
      // The same secret as for copies, so that a preview shows the tokens that the client will read.
      await getSecret(MASK_SECRET, createMaskSecret);
      return database.peek(owner, async (sql) => {
        const context = { sql, owner };
        const { connection_id, stream } = first;
        const scope = { owner_id, streams: [{ connection_id, stream, fields: [] }] };
        const partition = await catalog.findScopedPartition(context, scope, first);
        if (!partition) return [];
        const masker = await openMasker(context, catalog, { shape: partition.shape, masks });
        return records.map((record) => maskRecord(record, masker, masks.fields));
      });
    },
  } satisfies Partial<Store>;
}

function maskRecord(record: StoredRecord, masker: StreamMasker, masked: readonly string[]): StoredRecord {
  return {
    ...record,
    record_id: masker.maskKey(record.record_id),
    data: masker.maskData(record.data),
    cuts: record.cuts.flatMap((cut) => maskCut(cut, masker, masked)),
  };
}

/** Encoded bytes are withheld in masked fields. */
function maskCut(cut: StoredCut, masker: StreamMasker, masked: readonly string[]): StoredCut[] {
  const field = String(parseFieldPath(cut.path)?.[0]);
  if (!masked.includes(field)) return [cut];
  if (cut.kind === "binary") return [];
  const head = masker.maskData({ [field]: cut.head })[field];
  return head === undefined ? [] : [{ ...cut, head: String(head) }];
}
