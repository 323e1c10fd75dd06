/** Chance that is the same every time: the sample data is equal on every machine. */
export interface Chance {
  /** A whole number from 0 up to, not including, `below`. */
  number(below: number): number;
  pick<T>(choices: readonly T[]): T;
}

/** Makes a source of chance (mulberry32) that always begins alike for the same seed. */
export function createChance(seed: number): Chance {
  let state = seed;
  const number = (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
  return { number, pick: (choices) => choices[number(choices.length)]! };
}
