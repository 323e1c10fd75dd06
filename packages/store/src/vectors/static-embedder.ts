/** The built-in embedder: the weighted sum of the vectors of a text's words. Offline; the file is read on first use. */
import { readFileSync } from "node:fs";
import { scanTokens } from "@rungs/evidence";
import { type Embedder, normalise } from "./embedder.ts";
import { WordTable } from "./word-table.ts";

const FILE = new URL("../../assets/word-vectors.bin", import.meta.url);
const DIMENSIONS = 64;

interface WordVectors {
  readonly table: WordTable;
  readonly scales: Float32Array;
  readonly rows: Int8Array;
}

let loaded: WordVectors | undefined;

/** English words; `scripts/make-word-vectors.ts` makes its file and describes the format. */
export const staticEmbedder: Embedder = {
  id: "glove-64-1",
  dimensions: DIMENSIONS,
  isInline: true,
  baseline: 0,
  embed: async (texts) => texts.map(embedWords),
  embedQuery: async (text) => embedWords(text),
};

function embedWords(text: string): Float32Array {
  loaded ??= loadWordVectors();
  return addUpWords(loaded, text);
}

function addUpWords({ table, scales, rows }: WordVectors, text: string): Float32Array {
  const sum = new Float64Array(DIMENSIONS);
  const add = (row: number) => {
    if (row < 0) return;
    const scale = scales[row] as number;
    const from = row * DIMENSIONS;
    // Unrolled: this loop is most of what vectors add to an import.
    for (let at = 0; at < DIMENSIONS; at += 8) {
      const row = from + at;
      sum[at]! += scale * rows[row]!;
      sum[at + 1]! += scale * rows[row + 1]!;
      sum[at + 2]! += scale * rows[row + 2]!;
      sum[at + 3]! += scale * rows[row + 3]!;
      sum[at + 4]! += scale * rows[row + 4]!;
      sum[at + 5]! += scale * rows[row + 5]!;
      sum[at + 6]! += scale * rows[row + 6]!;
      sum[at + 7]! += scale * rows[row + 7]!;
    }
  };
  scanTokens(text, {
    plain: (start, end) => add(table.find(text, start, end)),
    term: (term) => add(table.find(term, 0, term.length)),
  });
  return normalise(sum);
}

function loadWordVectors(): WordVectors {
  const file = readFileSync(FILE);
  if (file.toString("latin1", 0, 4) !== "RWV1" || file.readUInt32LE(8) !== DIMENSIONS)
    throw new Error("word-vectors.bin is damaged.");
  const count = file.readUInt32LE(4);
  const scalesAt = 16 + file.readUInt32LE(12);
  const rowsAt = scalesAt + 4 * count;
  return {
    table: new WordTable(file.subarray(16, scalesAt), count),
    scales: new Float32Array(Uint8Array.from(file.subarray(scalesAt, rowsAt)).buffer),
    rows: new Int8Array(file.buffer, file.byteOffset + rowsAt, count * DIMENSIONS),
  };
}
