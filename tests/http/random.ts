/** A source of chance that can be repeated. */
export interface Chance {
  /** A whole number from 0 to below `end`. */
  below(end: number): number;
  pick<T>(items: readonly T[]): T;
  /** Whether something that happens this often happens now. */
  once(probability: number): boolean;
}

/** Makes chance from a seed (mulberry32). */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    below,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    once: (probability) => next() < probability,
  };
}
