/** Builds the sample records: identical on every machine, since times and random choices derive from fixed seeds. */
import type { RecordEnvelope } from "@rungs/contract";

const FIRST_MS = Date.UTC(2026, 0, 5, 8, 30);

/** The time `minutes` after the first sample record. */
export function timeAt(minutes: number): string {
  return new Date(FIRST_MS + minutes * 60_000).toISOString();
}

/** Wraps sample data in a record envelope. */
export function createEnvelope(stream: string, id: string, data: Record<string, unknown>): RecordEnvelope {
  return { stream, key: id, emitted_at: "2026-07-01T00:00:00Z", data: { id, ...data } };
}

/** A seeded random generator. */
export interface Random {
  /** An integer from 0 to `below`, exclusive. */
  number(below: number): number;
  pick<T>(choices: readonly T[]): T;
}

/** Creates a generator (mulberry32) that repeats its sequence for the same seed. */
export function createRandom(seed: number): Random {
  let state = seed;
  const number = (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
  return { number, pick: (choices) => choices[number(choices.length)]! };
}
