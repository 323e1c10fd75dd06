/** Turns a write of a record into the writes of its masked copies, which happen in the same transaction. */
import type { Catalog, MaskedCopy, WritablePartition } from "../catalog/catalog.ts";
import type { SqlContext } from "../database.ts";
import type { Checked, WritePlace } from "../write/check-envelope.ts";
import { openMasker, type StreamMasker } from "./stream-masker.ts";

/** A write of one masked copy. */
export interface CopiedWrite extends WritePlace {
  /** Masks the data. Call it only if the record changes. */
  readonly write: () => Checked;
}

export class CopiedWrites {
  readonly #context: SqlContext;
  readonly #catalog: Catalog;
  readonly #maskers = new Map<number, Promise<StreamMasker>>();

  constructor(context: SqlContext, catalog: Catalog) {
    this.#context = context;
    this.#catalog = catalog;
  }

  /** The writes that follow one. A copy that is not complete gets added and changed records later, in their order. */
  async list({ partition, record_id, envelope }: Checked): Promise<CopiedWrite[]> {
    const isDeletion = envelope.op === "delete";
    const writes: CopiedWrite[] = [];
    for (const copy of partition.copies) {
      if (copy.copied_doc !== null && !isDeletion) continue;
      const masker = await this.#open(copy);
      const place = { partition: toWritable(copy, partition), record_id: masker.maskKey(record_id) };
      const write = () => ({
        ...place,
        compared: envelope.data,
        envelope: { ...envelope, ...(envelope.data ? { data: masker.maskData(envelope.data) } : {}) },
      });
      writes.push({ ...place, write });
    }
    return writes;
  }

  #open(copy: MaskedCopy): Promise<StreamMasker> {
    const opened = this.#maskers.get(copy.id) ?? openMasker(this.#context, this.#catalog, copy);
    this.#maskers.set(copy.id, opened);
    return opened;
  }
}

/** The data was checked before it was masked, references to blobs included. */
function toWritable(copy: MaskedCopy, { check }: WritablePartition): WritablePartition {
  return { ...copy, check, is_table: true, copies: [] };
}
