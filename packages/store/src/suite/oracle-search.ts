import type { RecordRef } from "../store.ts";

/** The number that orders equal hits: FNV-1a over the record's identity. */
export function tieOf({ connection_id, stream, record_id }: RecordRef): number {
  let hash = 2_166_136_261n;
  for (const byte of new TextEncoder().encode(`${connection_id}/${stream}:${record_id}`)) {
    hash = ((hash ^ BigInt(byte)) * 16_777_619n) & 0xffffffffn;
  }
  return Number(hash);
}
