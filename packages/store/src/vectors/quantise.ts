/** Stores a vector in 4 bits a dimension, and compares such vectors with a query's. */

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
