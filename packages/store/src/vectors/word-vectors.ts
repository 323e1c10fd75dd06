/** English words and their vectors, and the built-in embedder, which adds them up. Offline; the file is read on first use. */
import { readFileSync } from "node:fs";
import { type QueryClause, scanTokens } from "@rungs/evidence";
import type { Embedder } from "./embedder.ts";
import { normalise } from "./vector-rows.ts";

const NEWLINE = 10;
/** A word of two packed halves fits its entry. */
const HALF_CHARS = 6;
const BASE = 37;
/** An entry: the two halves of a word, and its row. */
const ENTRY = 3;

/** 1 to 36 for the ASCII digits and letters in either case, 0 for other codes. */
const DIGITS = Uint8Array.from({ length: 0x80 }, (_, code) =>
  /[0-9a-z]/i.test(String.fromCharCode(code)) ? Number.parseInt(String.fromCharCode(code), 36) + 1 : 0,
);

/** Finds words of ASCII letters and digits in a text without copying them: a hash table whose entries hold the words, so that a search reads one place. */
export class WordTable {
  readonly #entries: Int32Array;
  readonly #mask: number;
  /** The words that do not fit an entry. */
  readonly #long = new Map<string, number>();

  /** `words` are in lower case, each ended by a newline; a word's row is its place in the list. */
  constructor(words: Uint8Array, count: number) {
    const size = 2 ** Math.ceil(Math.log2(count * 2));
    this.#mask = size - 1;
    this.#entries = new Int32Array(size * ENTRY);
    const text = Buffer.from(words.buffer, words.byteOffset, words.length).toString("latin1");
    for (let row = 0, start = 0; row < count; row += 1) {
      let end = start;
      while (words[end] !== NEWLINE) end += 1;
      this.#add(text, start, end, row);
      start = end + 1;
    }
  }

  /** The row of the word at `start` to `end` of a text, in either case; -1 when it is not listed. */
  find(text: string, start: number, end: number): number {
    if (end - start > 2 * HALF_CHARS) return this.#long.get(text.slice(start, end).toLowerCase()) ?? -1;
    const middle = start + HALF_CHARS;
    const head = pack(text, start, Math.min(middle, end));
    const tail = pack(text, middle, end);
    if (head === 0 || (tail === 0 && end > middle)) return -1;
    const entries = this.#entries;
    for (let slot = mix(head, tail) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slot * ENTRY;
      const found = entries[at] as number;
      if (found === head && entries[at + 1] === tail) return entries[at + 2] as number;
      if (found === 0) return -1;
    }
  }

  #add(text: string, start: number, end: number, row: number): void {
    if (end - start > 2 * HALF_CHARS) {
      this.#long.set(text.slice(start, end), row);
      return;
    }
    const middle = start + HALF_CHARS;
    const head = pack(text, start, Math.min(middle, end));
    const tail = pack(text, middle, end);
    let slot = mix(head, tail) & this.#mask;
    while (this.#entries[slot * ENTRY] !== 0) slot = (slot + 1) & this.#mask;
    this.#entries.set([head, tail, row], slot * ENTRY);
  }
}

/** Up to six characters as a number of 32 bits; 0 when there are none, or one that no listed word has. */
function pack(text: string, start: number, end: number): number {
  let packed = 0;
  for (let at = start; at < end; at += 1) {
    const digit = DIGITS[text.charCodeAt(at)];
    if (!digit) return 0;
    packed = (Math.imul(packed, BASE) + digit) | 0;
  }
  return packed;
}

function mix(head: number, tail: number): number {
  const mixed = Math.imul(head ^ Math.imul(tail, 0x85ebca6b), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

/** The file of English words with their vectors, most frequent first; `scripts/make-word-vectors.ts` makes it and describes the format. */
const FILE = new URL("../../assets/word-vectors.bin", import.meta.url);

/** The dimensions of a word's vector. */
export const WORD_DIMENSIONS = 64;

/** A word's row is its rank by frequency, from 0. */
interface WordVectors {
  readonly table: WordTable;
  readonly scales: Float32Array;
  readonly rows: Int8Array;
}

let loaded: WordVectors | undefined;

/** The words, read on first use. */
export function getWordVectors(): WordVectors {
  loaded ??= loadWordVectors();
  return loaded;
}

function loadWordVectors(): WordVectors {
  const file = readFileSync(FILE);
  if (file.toString("latin1", 0, 4) !== "RWV1" || file.readUInt32LE(8) !== WORD_DIMENSIONS)
    throw new Error("word-vectors.bin is damaged.");
  const count = file.readUInt32LE(4);
  const scalesAt = 16 + file.readUInt32LE(12);
  const rowsAt = scalesAt + 4 * count;
  return {
    table: new WordTable(file.subarray(16, scalesAt), count),
    scales: new Float32Array(Uint8Array.from(file.subarray(scalesAt, rowsAt)).buffer),
    rows: new Int8Array(file.buffer, file.byteOffset + rowsAt, count * WORD_DIMENSIONS),
  };
}

/** A word of this frequency in English counts half. */
const HALF_FREQUENCY = 3e-4;
/** Frequencies of English words fall with their rank: Zipf's law, with the sum over the words of the list. */
const ZIPF = 13.3;

/** Words of this rank and above are correct spellings: of misspellings only rarer ones are in the list. */
const KNOWN_WORDS = 4_000;

/** Whether a term is a common English word, and so not a misspelling of another. */
export function isCommonWord(term: string): boolean {
  const row = getWordVectors().table.find(term, 0, term.length);
  return row >= 0 && row < KNOWN_WORDS;
}

/**
 * The share of its weight that a clause keeps: that of its most specific word; phrases and prefixes keep all. A word
 * very common in English says little, however rare it is in a small scope: in a conversation of 400 turns, "where" is
 * as rare as the place in question.
 */
export function discountByFrequency({ any }: QueryClause): number {
  return Math.max(...any.map(({ terms, prefix }) => (terms.length > 1 || prefix ? 1 : weighWord(terms[0]))));
}

function weighWord(term = ""): number {
  const row = getWordVectors().table.find(term, 0, term.length);
  if (row < 0) return 1;
  const frequency = 1 / (ZIPF * (row + 1));
  return HALF_FREQUENCY / (HALF_FREQUENCY + frequency);
}

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

/** Sums eight dimensions of all words at a time, in local variables: the hot loop of embedding during an import. */
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
