/** The built-in embedder: the weighted sum of the vectors of a text's words. Offline; the file is read on first use. */
import { scanTokens } from "@rungs/evidence";
import { type Embedder, normalise } from "./embedder.ts";
import { getWordVectors, WORD_DIMENSIONS } from "./word-vectors.ts";

/** English words. */
export const staticEmbedder: Embedder = {
  id: "glove-64-1",
  dimensions: WORD_DIMENSIONS,
  words: { find: (text, start, end) => getWordVectors().table.find(text, start, end), addUp, embedText },
  baseline: 0,
  embed: async (texts) => texts.map(embedText),
  embedQuery: async (text) => embedText(text),
};

/** How often each word of the list occurs in the passage being embedded. */
let counts = new Uint16Array(0);

/** Their sum; allocating it for each passage would cost as much as quantising. */
const sum = new Float64Array(WORD_DIMENSIONS);

/** The words that occur in it, in the order of their first occurrence, and what each counts. */
const present = { rows: new Uint32Array(512), scales: new Float64Array(512), length: 0 };

function embedText(text: string): Float32Array {
  const { table } = getWordVectors();
  const words: number[] = [];
  const add = (word: number) => {
    if (word >= 0) words.push(word);
  };
  scanTokens(text, {
    plain: (start, end) => add(table.find(text, start, end)),
    term: (term) => add(table.find(term, 0, term.length)),
  });
  return addUp(Uint32Array.from(words), words.length);
}

/** Counts first: a passage repeats its common words, and adding a vector costs more than counting. */
function addUp(words: Uint32Array, count: number, vector?: Float32Array): Float32Array {
  const { scales, rows } = getWordVectors();
  if (counts.length !== scales.length) counts = new Uint16Array(scales.length);
  present.length = 0;
  for (let at = 0; at < count; at += 1) {
    const row = words[at]!;
    if (counts[row] === 0) addPresent(row);
    counts[row]! += 1;
  }
  for (let at = 0; at < present.length; at += 1) {
    const row = present.rows[at]!;
    present.scales[at] = scales[row]! * counts[row]!;
    counts[row] = 0;
  }
  return normalise(addUpRows(rows), vector);
}

function addPresent(row: number): void {
  if (present.length === present.rows.length) {
    const rows = new Uint32Array(present.length * 2);
    rows.set(present.rows);
    present.rows = rows;
    present.scales = new Float64Array(rows.length);
  }
  present.rows[present.length] = row;
  present.length += 1;
}

/** Adds up eight dimensions of all words at a time, in local variables: this loop is most of what vectors add to an import. */
function addUpRows(vectors: Int8Array): Float64Array {
  const { rows, scales, length } = present;
  for (let from = 0; from < WORD_DIMENSIONS; from += 8) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    let e = 0;
    let f = 0;
    let g = 0;
    let h = 0;
    for (let at = 0; at < length; at += 1) {
      const place = rows[at]! * WORD_DIMENSIONS + from;
      const scale = scales[at]!;
      a += scale * vectors[place]!;
      b += scale * vectors[place + 1]!;
      c += scale * vectors[place + 2]!;
      d += scale * vectors[place + 3]!;
      e += scale * vectors[place + 4]!;
      f += scale * vectors[place + 5]!;
      g += scale * vectors[place + 6]!;
      h += scale * vectors[place + 7]!;
    }
    sum[from] = a;
    sum[from + 1] = b;
    sum[from + 2] = c;
    sum[from + 3] = d;
    sum[from + 4] = e;
    sum[from + 5] = f;
    sum[from + 6] = g;
    sum[from + 7] = h;
  }
  return sum;
}
