/** The oracle's records under a masking grant: masked, but in scope by their original values. */
import { describeStream, type RecordEnvelope, type StreamMasks, type StreamScope } from "@rungs/contract";
import { createStreamMasker } from "@rungs/store/internal/stream-masker";
import { createManifest } from "../../testing/store/manifests.ts";
import { type Held, Oracle } from "../../testing/store/oracle.ts";
import { SECRET } from "./markers.ts";

const RULES = { kinds: ["email" as const], words: ["river", "東京"], expressions: [SECRET] };

/** One set of masks for each stream, so that all grants share its copies. */
export const MASKS: Readonly<Record<string, StreamMasks>> = {
  messages: { ...RULES, fields: ["from", "subject", "body", "parts", "code", "payload"] },
  labels: { ...RULES, fields: ["name"] },
  events: { ...RULES, fields: ["detail"] },
  meters: { ...RULES, fields: ["place"] },
  files: { ...RULES, fields: ["name", "text"] },
  marks: { ...RULES, fields: ["text"] },
};

/** The records that were ingested for an owner. */
export interface IngestedBatch {
  readonly owner_id: string;
  readonly connection_id: string;
  readonly records: readonly RecordEnvelope[];
}

/** The masked copy of each record by secret: every grant that masks makes a view of nearly the same records. */
const copies = new WeakMap<RecordEnvelope, Map<string, RecordEnvelope>>();

export class MaskedView extends Oracle {
  readonly #whole: Oracle;

  /** `secret` is the store's. Only the streams in `masked` are masked. */
  constructor(whole: Oracle, batches: readonly IngestedBatch[], masked: ReadonlySet<string>, secret: string) {
    const manifest = createManifest();
    super(manifest);
    this.#whole = whole;
    const maskers = new Map(
      manifest.streams
        .filter(({ name }) => masked.has(name))
        .map((stream) => [
          stream.name,
          createStreamMasker(describeStream(stream), MASKS[stream.name] as StreamMasks, secret),
        ]),
    );
    const copy = (record: RecordEnvelope): RecordEnvelope => {
      const masker = maskers.get(record.stream);
      if (!masker || !record.data) return record;
      const known = copies.get(record) ?? new Map<string, RecordEnvelope>();
      copies.set(record, known);
      const masked =
        known.get(secret) ?? ({ ...record, data: masker.maskData(record.data) } as RecordEnvelope);
      known.set(secret, masked);
      return masked;
    };
    for (const { owner_id, connection_id, records } of batches) {
      this.putConnection(owner_id, connection_id);
      this.ingest(owner_id, connection_id, records.map(copy), records[0]?.emitted_at ?? "");
    }
  }

  override covers(owner_id: string, { ref }: Held, limits: StreamScope): boolean {
    const held = this.#whole.find(owner_id, ref);
    return held !== undefined && this.#whole.covers(owner_id, held, limits);
  }
}
