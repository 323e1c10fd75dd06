/** English words by their rank of frequency, for benchmarks whose words must have vectors; rarer ones are made up. */
import { readFileSync } from "node:fs";
import { wordOf } from "./corpus.ts";

/** `scripts/make-word-vectors.ts` describes the format. */
const FILE = new URL("../packages/store/assets/word-vectors.bin", import.meta.url);

export function createEnglish(): (rank: number) => string {
  const file = readFileSync(FILE);
  const words = file.toString("latin1", 16, 16 + file.readUInt32LE(12)).split("\n");
  return (rank) => words[rank] || wordOf(rank);
}
