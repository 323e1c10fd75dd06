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

/** How often each word of the list occurs in the passage being embedded, and which do. */
let counts = new Uint16Array(0);
const present: number[] = [];

function addUpWords(words: WordVectors, text: string): Float32Array {
  countWords(words, text);
  const sum = new Float64Array(WORD_DIMENSIONS);
  for (const row of present) {
    addRow(sum, words.rows, row, (words.scales[row] as number) * (counts[row] as number));
    counts[row] = 0;
  }
  present.length = 0;
  return normalise(sum);
}

/** Counts first: a passage repeats its common words, and adding a vector costs more than counting. */
function countWords({ table, scales }: WordVectors, text: string): void {
  if (counts.length !== scales.length) counts = new Uint16Array(scales.length);
  const count = (row: number) => {
    if (row < 0) return;
    if (counts[row] === 0) present.push(row);
    counts[row]! += 1;
  };
  scanTokens(text, {
    plain: (start, end) => count(table.find(text, start, end)),
    term: (term) => count(table.find(term, 0, term.length)),
  });
}

/** Unrolled: this loop is most of what vectors add to an import. */
function addRow(sum: Float64Array, rows: Int8Array, row: number, scale: number): void {
  const from = row * WORD_DIMENSIONS;
  for (let at = 0; at < WORD_DIMENSIONS; at += 8) {
    const place = from + at;
    sum[at]! += scale * rows[place]!;
    sum[at + 1]! += scale * rows[place + 1]!;
    sum[at + 2]! += scale * rows[place + 2]!;
    sum[at + 3]! += scale * rows[place + 3]!;
    sum[at + 4]! += scale * rows[place + 4]!;
    sum[at + 5]! += scale * rows[place + 5]!;
    sum[at + 6]! += scale * rows[place + 6]!;
    sum[at + 7]! += scale * rows[place + 7]!;
  }
}
