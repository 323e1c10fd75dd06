/** The oracle for similarity in meaning: embeds and compares every passage of every granted text anew. */
import { type Query, sliceChars } from "@rungs/evidence";
import type { StoredMeaning } from "@rungs/store";
import { cutPassages, type Passage } from "@rungs/store/internal/vectors/passages";
import { createSimilarity, quantise } from "@rungs/store/internal/vectors/vector-rows";
import { staticEmbedder } from "@rungs/store/internal/vectors/word-vectors";
import type { Covered, Held } from "./oracle.ts";

/** Documented: from this cosine on, a record may be a hit without any of the words. */
const LEAST_SIMILARITY = 0.6;
const ROLES: readonly (string | undefined)[] = ["body", "primary-title"];

export interface OraclePassage {
  readonly field: string;
  readonly start_chars: number;
  readonly text: string;
  readonly similarity: number;
  readonly isSimilar: boolean;
}

/** The results by meaning for a search. */
export interface OracleMeaning {
  /** The passage of each record that is nearest to the query's words. */
  readonly nearest: readonly (OraclePassage | undefined)[];
  /** Present where some of the records have no vectors yet. */
  readonly coverage?: StoredMeaning | undefined;
}

type HasVectors = (held: Held, field: string) => boolean;

/** Compares the query with each record that has vectors; skips queries with anything but words. */
export async function findNearest(
  records: readonly { readonly held: Held; readonly covered: Covered }[],
  { clauses }: Query,
  hasVectors: HasVectors,
): Promise<OracleMeaning> {
  const none = { nearest: records.map(() => undefined) };
  if (clauses.some(({ need, text }) => need !== "wanted" || text.includes("*"))) return none;
  const query = await staticEmbedder.embedQuery(clauses.map(({ text }) => text).join(" "));
  if (query.every((value) => value === 0)) return none;
  const similarity = createSimilarity(query);
  const nearest: (OraclePassage | undefined)[] = [];
  for (const { held, covered } of records) {
    let best: OraclePassage | undefined;
    for (const name of listEmbedded(covered)) {
      const value = held.data[name];
      if (!hasVectors(held, name) || typeof value !== "string") continue;
      for (const { start_chars, end_chars, vector } of await embedPassages(value)) {
        const found = similarity(vector, 0);
        if (!(found > (best?.similarity ?? 0))) continue;
        const text = sliceChars(value, start_chars, end_chars);
        best = { field: name, start_chars, text, similarity: found, isSimilar: found >= LEAST_SIMILARITY };
      }
    }
    nearest.push(best);
  }
  return { nearest, coverage: countCompared(records, hasVectors) };
}

function countCompared(
  records: readonly { readonly held: Held; readonly covered: Covered }[],
  hasVectors: HasVectors,
): StoredMeaning | undefined {
  const comparable = records.filter(({ covered }) => listEmbedded(covered).length > 0);
  const compared = comparable.filter(({ held, covered }) =>
    listEmbedded(covered).every((name) => hasVectors(held, name)),
  ).length;
  const of = comparable.length;
  return compared === of ? undefined : { state: "partial", compared, of };
}

/** The granted fields whose texts have vectors. */
function listEmbedded({ shape, granted }: Covered): string[] {
  return shape.fields
    .filter(({ name, role, lexical }) => granted.has(name) && lexical.length > 0 && ROLES.includes(role))
    .map(({ name }) => name);
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
