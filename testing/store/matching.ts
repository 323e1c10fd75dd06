/** What a query must find in a text, computed naively from the whole text. */
import assert from "node:assert/strict";
import type { ReadScope } from "@rungs/contract";
import { countChars, findMatches, listTerms, type Query, requireQuery } from "@rungs/evidence";
import type { Store, StoredHits, StoredProof } from "@rungs/store";
import { defaultForms } from "@rungs/store/internal/forms";
import { isNearSpelling } from "./oracle-clauses.ts";

export interface Place {
  readonly start_chars: number;
  readonly end_chars: number;
}

/** Every place where a clause of `query` matches `text`, in order, each once. */
export function placesIn(text: string, query: Query | string): Place[] {
  const parsed = typeof query === "string" ? requireQuery(query) : query;
  const places = new Map<string, Place>();
  let units = 0;
  let chars = 0;
  for (const { start, end } of findMatches(text, parsed, defaultForms)) {
    chars += countChars(text.slice(units, start));
    units = start;
    const place = { start_chars: chars, end_chars: chars + countChars(text.slice(start, end)) };
    places.set(`${place.start_chars}-${place.end_chars}`, place);
  }
  return [...places.values()];
}

/**
 * Where a text has near spellings of the query's words, around which a window is cut if the text has none of the words
 * themselves.
 */
export function nearPlacesIn(text: string, { clauses }: Query): Place[] {
  const words = clauses
    .filter(({ need, any }) => need === "wanted" && any[0]?.inflected)
    .map(({ any }) => any[0]?.terms[0] as string);
  return listTerms(text)
    .filter(({ term }) => words.some((word) => isNearSpelling(term, word)))
    .map(({ start, end }) => ({
      start_chars: countChars(text.slice(0, start)),
      end_chars: countChars(text.slice(0, end)),
    }));
}

/** Searches for a text as people write it. */
export function search(store: Store, scope: ReadScope, q: string, limit = 10): Promise<StoredHits> {
  return store.search(scope, { query: requireQuery(q), limit });
}

/** Asserts that a proof agrees with the stored text (R11). */
export function assertProof(proof: StoredProof, text: string, q: Query | string): void {
  const chars = Array.from(text);
  const shown = Array.from(proof.text);
  assert.equal(proof.size_chars, chars.length);
  assert.deepEqual(shown, chars.slice(proof.text_start_chars, proof.text_start_chars + shown.length));
  const real = new Set(placesIn(text, q).map(({ start_chars, end_chars }) => `${start_chars}-${end_chars}`));
  assert.ok(proof.matches.length > 0);
  for (const { start_chars, end_chars } of proof.matches) {
    assert.ok(real.has(`${start_chars}-${end_chars}`), `${start_chars}-${end_chars} is a match`);
  }
  const [first] = proof.matches;
  assert.ok(first && first.start_chars >= proof.text_start_chars, "the first match is in the text shown");
  assert.ok(first.end_chars <= proof.text_start_chars + shown.length, "the first match is whole");
}
