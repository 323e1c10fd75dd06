import type { Sql } from "../database.ts";
import type { RankingParts } from "../store.ts";
import type { CandidateRequest } from "./candidates.ts";
import type { MatchedClause } from "./clauses.ts";
import type { Meaning } from "./scan-vectors.ts";
import type { ScopedIndex } from "./scoped-index.ts";

/** A query with what it matches in each index of the scope. */
export interface MatchedQuery {
  readonly sql: Sql;
  readonly owner: number;
  readonly indexes: readonly ScopedIndex[];
  readonly clauses: readonly MatchedClause[];
  readonly requests: readonly CandidateRequest[];
  /** The weight of all clauses that some record has. */
  readonly total: number;
  /** The meaning of the words together, or why it is unknown; undefined when only words count. */
  readonly meaning?: Meaning | "unavailable" | "off" | undefined;
  /** Whether to compare the passages of all records of the scope, or only of those ranked anyway. */
  readonly seeksSimilar: boolean;
  /** The size of the rank window. */
  readonly window: number;
  readonly parts: RankingParts;
}
