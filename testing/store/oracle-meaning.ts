/** Meaning as the oracle finds it: every passage of every granted text is embedded and compared anew. */
import { type Query, sliceChars } from "@rungs/evidence";
import { cutPassages, type Passage } from "@rungs/store/internal/vectors/passages";
import { createSimilarity, quantise } from "@rungs/store/internal/vectors/quantise";
import { staticEmbedder } from "@rungs/store/internal/vectors/static-embedder";
import type { Covered, Held } from "./oracle.ts";

/** Documented: from this cosine on a record may be a hit without any of the words. */
const LEAST_SIMILARITY = 0.6;
const ROLES: readonly (string | undefined)[] = ["body", "primary-title"];

export interface OraclePassage {
  readonly field: string;
  readonly start_chars: number;
  readonly text: string;
  readonly similarity: number;
  readonly isSimilar: boolean;
}

/** The passage of each record that is nearest to the query's words; none for a query that has other than words. */
export async function findNearest(
  records: readonly { readonly held: Held; readonly covered: Covered }[],
  { clauses }: Query,
): Promise<readonly (OraclePassage | undefined)[]> {
  if (clauses.some(({ need, text }) => need !== "wanted" || text.includes("*")))
    return records.map(() => undefined);
  const [query] = await staticEmbedder.embed([clauses.map(({ text }) => text).join(" ")]);
  const similarity = createSimilarity(query as Float32Array);
  const nearest: (OraclePassage | undefined)[] = [];
  for (const { held, covered } of records) {
    let best: OraclePassage | undefined;
    for (const { name, role, lexical } of covered.shape.fields) {
      const value = held.data[name];
      if (!covered.granted.has(name) || lexical.length === 0 || !ROLES.includes(role)) continue;
      if (typeof value !== "string") continue;
      for (const { start_chars, end_chars, vector } of await embedPassages(value)) {
        const found = similarity(vector, 0);
        if (!(found > (best?.similarity ?? 0))) continue;
        const text = sliceChars(value, start_chars, end_chars);
        best = { field: name, start_chars, text, similarity: found, isSimilar: found >= LEAST_SIMILARITY };
      }
    }
    nearest.push(best);
  }
  return nearest;
}

const embedded = new Map<string, readonly (Passage & { vector: Uint8Array })[]>();

async function embedPassages(text: string): Promise<readonly (Passage & { vector: Uint8Array })[]> {
  const known = embedded.get(text);
  if (known) return known;
  const passages = cutPassages(text);
  const vectors = await staticEmbedder.embed(passages.map((passage) => passage.text));
  const found = passages.map((passage, at) => ({
    ...passage,
    vector: quantise(vectors[at] as Float32Array),
  }));
  if (embedded.size > 20_000) embedded.clear();
  embedded.set(text, found);
  return found;
}
