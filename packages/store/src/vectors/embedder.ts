/** What makes vectors of texts, and how vectors are stored (4 bits a dimension) and compared. */

/** Turns text into vectors that are near each other when the texts are about the same thing. */
export interface Embedder {
  /** Names the model; stored with every vector, since vectors of different models cannot be compared. */
  readonly id: string;
  readonly dimensions: number;
  /** Set if a record gets its vectors in the transaction that writes it. Otherwise they follow in the background. */
  readonly words?: WordEmbedder;
  /** The cosine that texts about different things have on average: similarity counts from there. */
  readonly baseline: number;
  /** A vector of length 1 for each text; all zeros for a text without a known word. Throws `EmbedderError`. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** The vector of a query, in a time that a person is willing to wait. Throws `EmbedderError`. */
  embedQuery(text: string): Promise<Float32Array>;
}

/** Embeds a text as the sum of its words, which the index has found already. */
export interface WordEmbedder {
  /** The number of the word at `start` to `end` of a text, in either case; -1 when it has no vector. */
  find(text: string, start: number, end: number): number;
  /** The vector of a text with these words, the first `count` of the array, in their order; written to `vector` if given. */
  addUp(words: Uint32Array, count: number, vector?: Float32Array): Float32Array;
  embedText(text: string): Float32Array;
}

/** Why an embedding service gave no vectors: a sentence without its answer, the text or a key. */
export class EmbedderError extends Error {
  /** Whether the texts may be the reason, such as one that is too long, rather than the service. */
  readonly isAboutTexts: boolean;

  constructor(
    message: string,
    { isAboutTexts = false, cause }: { isAboutTexts?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = "EmbedderError";
    this.isAboutTexts = isAboutTexts;
  }
}

/** Brings a vector to length 1; zeros stay. */
export function normalise(
  vector: ArrayLike<number>,
  scaled: Float32Array = new Float32Array(vector.length),
): Float32Array {
  let squares = 0;
  for (let at = 0; at < vector.length; at += 1) squares += (vector[at] as number) ** 2;
  const length = Math.sqrt(squares) || 1;
  for (let at = 0; at < vector.length; at += 1) scaled[at] = (vector[at] as number) / length;
  return scaled;
}

/** Whether a vector is not all zeros: whether its text has a known word. */
export function hasDirection(vector: Float32Array): boolean {
  return vector.some((value) => value !== 0);
}

const STEPS = 7;
/** Values of a vector of length 1 seldom exceed this many times their average size; larger ones are clamped. */
const CLAMP = 2.5;
const ZERO = 8;

/** How many bytes a quantised vector takes. */
export function countVectorBytes(dimensions: number): number {
  return Math.ceil(dimensions / 2);
}

/** A vector of length 1, two dimensions a byte, the first in the low bits. */
export function quantise(vector: Float32Array): Uint8Array {
  const step = CLAMP / (STEPS * Math.sqrt(vector.length));
  const bytes = new Uint8Array(countVectorBytes(vector.length));
  for (let at = 0; at < bytes.length; at += 1) {
    const low = toStep(vector[2 * at] as number, step);
    const high = 2 * at + 1 < vector.length ? toStep(vector[2 * at + 1] as number, step) : ZERO;
    bytes[at] = low | (high << 4);
  }
  return bytes;
}

function toStep(value: number, step: number): number {
  return Math.max(-STEPS, Math.min(STEPS, Math.round(value / step))) + ZERO;
}

/** The cosine of a query's vector and the quantised vector at a place of `bytes`. */
export type Similarity = (bytes: Uint8Array, from: number) => number;

/** Looks products up by byte: a table for each pair of dimensions. */
export function createSimilarity(query: Float32Array): Similarity {
  const length = countVectorBytes(query.length);
  const products = new Float64Array(length << 8);
  const squares = new Uint8Array(256);
  for (let byte = 0; byte < 256; byte += 1) {
    const [low, high] = [(byte & 0x0f) - ZERO, (byte >> 4) - ZERO];
    squares[byte] = low * low + high * high;
    for (let at = 0; at < length; at += 1)
      products[(at << 8) | byte] = low * (query[2 * at] as number) + high * (query[2 * at + 1] ?? 0);
  }
  return (bytes, from) => {
    let product = 0;
    let square = 0;
    for (let at = 0; at < length; at += 1) {
      const byte = bytes[from + at] as number;
      product += products[(at << 8) | byte] as number;
      square += squares[byte] as number;
    }
    return square === 0 ? 0 : product / Math.sqrt(square);
  };
}
