import { z } from "zod";
import { continuationSchema } from "../continuation.ts";
import { evidenceSchema } from "./evidence.ts";

/** One hit of a search, with what was proven about it; no evidence means nothing was proven (R12). */
export const searchHitSchema = z.looseObject({
  object: z.literal("search_result"),
  id: z.string(),
  connection_id: z.string(),
  connector_key: z.string().nullable().optional(),
  display_name: z.string().nullable().optional(),
  stream: z.string(),
  record_id: z.string(),
  title: z.string().nullable().optional(),
  event_time: z.string().nullable().optional(),
  emitted_at: z.string().optional(),
  /** Who wrote or did it, by the manifest's role. */
  author: z.string().nullable().optional(),
  /** The field that the author is from. */
  author_field: z.string().optional(),
  /** The words and phrases of the query that the record has; none for a record that was found by its neighbours. */
  words: z.array(z.string()).optional(),
  matched_fields: z.array(z.string()),
  evidence: z.array(evidenceSchema),
  /** Whether words, meaning or both found it; only where the search named a mode. */
  retrieval_sources: z.array(z.enum(["lexical", "semantic"])).optional(),
  /** The call that reads the records around it, for a record in a thread that the grant shows (R66). */
  thread: continuationSchema.extend({ operation: z.literal("read_thread") }).optional(),
  /** Later hits that show nearly the same text: how many, some of their ids, and the call that lists them (R67). */
  similar: z
    .looseObject({
      count: z.int().min(1),
      ids: z.array(z.string()),
      open: continuationSchema.extend({ operation: z.literal("search") }),
    })
    .optional(),
});

/** One hit of a search. */
export type SearchHit = z.infer<typeof searchHitSchema>;

/** What a search found of one word or phrase of its query (R61). */
export const searchWordSchema = z.looseObject({
  word: z.string(),
  need: z.enum(["wanted", "required", "excluded"]),
  /** How many granted records have it, inflected forms included. */
  count: z.int().min(0),
  /** The words searched in its place, because no granted record has it. */
  widened_to: z.array(z.string()).optional(),
  /** True when the other words decide: evidence does not mark it, and the answer does not report it missing. */
  light: z.literal(true).optional(),
  /** True when it expands to so many words that only the first in alphabetical order were searched. */
  cut: z.literal(true).optional(),
});

/** What a search found of one word or phrase of its query. */
export type SearchWord = z.infer<typeof searchWordSchema>;

/** How much of the grant a search has covered (R17). */
export const searchMetaSchema = z.looseObject({
  count: z.int().min(0).nullable().optional(),
  /** How many of them have every word of the query that is not light. */
  count_with_all_words: z.int().min(0).optional(),
  words: z.array(searchWordSchema).optional(),
  count_accuracy: z.enum(["exact", "lower_bound", "estimated", "not_counted"]),
  recall: z.looseObject({
    complete: z.boolean(),
    ranking_scope: z.enum(["all_matches", "candidate_window", "unknown"]),
    truncated: z.boolean(),
    /** What the grant covers and this search skipped, in words. */
    not_searched: z.array(z.string()).optional(),
    /** Granted fields that may hold text but are not searched: `connection/stream: field, field`. */
    fields_not_searched: z.array(z.string()).optional(),
  }),
  /**
   * Present if not every granted record was compared by meaning: some have no vectors yet, the service failed, or the
   * owner switched it off.
   */
  meaning: z
    .looseObject({
      state: z.enum(["partial", "unavailable", "off"]),
      /** How many granted records were compared. */
      compared: z.int().min(0),
      of: z.int().min(0),
    })
    .optional(),
});

/** How much a search has looked at. */
export type SearchMeta = z.infer<typeof searchMetaSchema>;

/** How many of the matching records each source, month and author has, for narrowing the search (R68). */
export const searchFacetsSchema = z.looseObject({
  /** False if months and people were counted over some of the records only, because too many match. */
  is_complete: z.boolean(),
  sources: z.array(z.looseObject({ connection_id: z.string(), stream: z.string(), count: z.int().min(1) })),
  /** Such as 2026-05, in UTC, the newest first. */
  months: z.array(z.looseObject({ month: z.string(), count: z.int().min(1) })),
  /** The field and its value, for `filter`. */
  people: z.array(z.looseObject({ field: z.string(), value: z.string(), count: z.int().min(1) })),
});

/** How many of the matching records each source, month and author has. */
export type SearchFacets = z.infer<typeof searchFacetsSchema>;

/** The envelope of one page of hits. */
export const searchPageSchema = z.looseObject({
  object: z.literal("list"),
  data: z.array(searchHitSchema),
  has_more: z.boolean(),
  next_cursor: z.string().nullable().optional(),
  meta: searchMetaSchema,
  facets: searchFacetsSchema.optional(),
});

/** One page of hits. */
export type SearchPage = z.infer<typeof searchPageSchema>;
