/** The oracle's order of hits: by score, then by time where the scope covers it, then by a hash of the identity. */
import type { SearchPosition, StoredRef } from "@rungs/store";
import type { Covered, Held } from "./oracle.ts";

export function sortHits<T extends { readonly position: SearchPosition }>(hits: readonly T[]): T[] {
  return hits.toSorted((a, b) => comparePositions(a.position, b.position));
}

/** Best first; the newest of equals first, those without a time last. */
function comparePositions(a: SearchPosition, b: SearchPosition): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.time_ms !== b.time_ms) return (b.time_ms ?? -Infinity) - (a.time_ms ?? -Infinity);
  if (a.tie !== b.tie) return a.tie - b.tie;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** The tie-break between equal hits: FNV-1a over the record's identity. */
export function tieOf({ connection_id, stream, record_id }: StoredRef): number {
  let hash = 2_166_136_261n;
  for (const byte of new TextEncoder().encode(`${connection_id}/${stream}:${record_id}`)) {
    hash = ((hash ^ BigInt(byte)) * 16_777_619n) & 0xffffffffn;
  }
  return Number(hash);
}

/** The tie-breaks for hits of equal score. */
export function orderOf(held: Held, { shape, granted }: Covered): { time_ms: number | null; tie: number } {
  const seesTime = shape.consent_time_field !== undefined && granted.has(shape.consent_time_field);
  return { time_ms: seesTime ? held.time_ms : null, tie: tieOf(held.ref) };
}
