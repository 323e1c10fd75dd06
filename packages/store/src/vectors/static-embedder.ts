/** The built-in embedder: the weighted sum of the vectors of a text's words. Offline; the file is read on first use. */
import { scanTokens } from "@rungs/evidence";
import { type Embedder, normalise } from "./embedder.ts";
import { getWordVectors, WORD_DIMENSIONS, type WordVectors } from "./word-vectors.ts";

/** English words. */
export const staticEmbedder: Embedder = {
  id: "glove-64-1",
  dimensions: WORD_DIMENSIONS,
  isInline: true,
  baseline: 0,
  embed: async (texts) => texts.map(embedWords),
  embedQuery: async (text) => embedWords(text),
};

function embedWords(text: string): Float32Array {
  return addUpWords(getWordVectors(), text);
}

function addUpWords({ table, scales, rows }: WordVectors, text: string): Float32Array {
  const sum = new Float64Array(WORD_DIMENSIONS);
  const add = (row: number) => {
    if (row < 0) return;
    const scale = scales[row] as number;
    const from = row * WORD_DIMENSIONS;
    // Unrolled: this loop is most of what vectors add to an import.
    for (let at = 0; at < WORD_DIMENSIONS; at += 8) {
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
