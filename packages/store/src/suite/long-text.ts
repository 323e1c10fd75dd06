/** Prose of any length for measuring: a few common words, many rare ones, and marked places. */
import { Random } from "../../../../testing/random.ts";

const COMMON = ["the", "of", "and", "to", "a", "in", "that", "it"];

/** The same prose for the same length; each of `marks` occurs once, at its share of the length. */
export function createProse(length: number, marks: Readonly<Record<string, number>> = {}): string {
  const random = new Random(length);
  const vocabulary = random.times(20_000, () => {
    const letters = random.times(random.int(3, 9), () => String.fromCharCode(random.int(97, 122)));
    return `${letters.join("")}z`;
  });
  const places = Object.entries(marks).map(([mark, share]) => ({ mark, at: Math.floor(share * length) }));
  places.sort((a, b) => a.at - b.at);
  const pieces: string[] = [];
  let size = 0;
  const add = (piece: string) => {
    pieces.push(piece);
    size += piece.length + 1;
  };
  while (size < length) {
    while (places[0] && places[0].at <= size) add(places.shift()?.mark as string);
    add(
      random.chance(0.4)
        ? random.pick(COMMON)
        : (vocabulary[Math.floor(vocabulary.length * random.next() ** 3)] as string),
    );
  }
  for (const { mark } of places) add(mark);
  return pieces.join(" ");
}
