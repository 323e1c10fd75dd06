/** Finds the passages in scope that are nearest in meaning to a query. */
import type { Query } from "@rungs/evidence";
import type { Sql } from "../database.ts";
import type { ScopedIndex } from "../search/scoped-index.ts";
import { type Embedder, EmbedderError } from "./embedder.ts";
import { listGrantedFields } from "./passages.ts";
import { countVectorBytes, createSimilarity, type Similarity } from "./quantise.ts";
import { readAllRows, readRowsAround } from "./scanned-rows.ts";
import { eachPassage, type PassagePlace } from "./vector-rows.ts";

/** From this cosine on a passage counts as similar: a record without any of the words may be a hit for it. */
const LEAST_SIMILARITY = 0.6;

/** A query's vector, ready to be compared. */
export interface Meaning {
  readonly embedder: Embedder;
  readonly vectorBytes: number;
  readonly similarity: Similarity;
}

/** A record's passage that is nearest to the query. */
export interface SimilarPassage extends PassagePlace {
  readonly similarity: number;
  /** Whether it is near enough to be a hit without any of the words. */
  readonly isSimilar: boolean;
}

/** The meaning of a query's words; undefined when the embedder knows none of them. */
export async function readMeaning(
  embedder: Embedder,
  { clauses }: Query,
): Promise<Meaning | "unavailable" | undefined> {
  try {
    const texts = clauses
      .filter(({ need }) => need !== "excluded")
      .map(({ text }) => text.replaceAll("*", ""));
    const vector = await embedder.embedQuery(texts.join(" "));
    if (!vector.some((value) => value !== 0)) return undefined;
    const { baseline } = embedder;
    const cosine = createSimilarity(vector);
    return {
      embedder,
      vectorBytes: countVectorBytes(embedder.dimensions),
      similarity:
        baseline === 0 ? cosine : (bytes, from) => (cosine(bytes, from) - baseline) / (1 - baseline),
    };
  } catch (error) {
    if (error instanceof EmbedderError) return "unavailable";
    throw error;
  }
}

/** The nearest granted passage of each document that is similar, and of each of `members`. */
export async function scanVectors(
  sql: Sql,
  owner: number,
  { partition, allows, few, narrow }: ScopedIndex,
  meaning: Meaning,
  { members, everywhere }: { readonly members: ReadonlySet<number>; readonly everywhere: boolean },
): Promise<Map<number, SimilarPassage>> {
  const nearest = new Map<number, SimilarPassage>();
  const granted = new Set(listGrantedFields(partition));
  if (granted.size === 0) return nearest;
  const place = { sql, owner, partition: partition.id, model: meaning.embedder.id };
  const wanted = everywhere ? few : members;
  const scanned = () => (wanted ? readRowsAround(place, wanted) : readAllRows(place));
  for await (const rows of narrow ? narrow.readVectors(place, meaning.vectorBytes) : scanned()) {
    for (const row of rows) {
      eachPassage(row, meaning.vectorBytes, (doc, field, start_chars, end_chars, at) => {
        if (!granted.has(field) || !(allows?.(doc) ?? true)) return;
        const isMember = members.has(doc);
        if (!isMember && !everywhere) return;
        const similarity = meaning.similarity(row.body, at);
        if (!isMember && similarity < LEAST_SIMILARITY) return;
        if (similarity > (nearest.get(doc)?.similarity ?? 0))
          nearest.set(doc, {
            field,
            start_chars,
            end_chars,
            similarity,
            isSimilar: similarity >= LEAST_SIMILARITY,
          });
      });
    }
  }
  return nearest;
}
