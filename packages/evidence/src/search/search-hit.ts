import { z } from "zod";
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
  matched_fields: z.array(z.string()),
  evidence: z.array(evidenceSchema),
});

/** One hit of a search. */
export type SearchHit = z.infer<typeof searchHitSchema>;

/** How much of what the grant covers a search has looked at (R17). */
export const searchMetaSchema = z.looseObject({
  count: z.int().min(0).nullable().optional(),
  count_accuracy: z.enum(["exact", "lower_bound", "estimated", "not_counted"]),
  recall: z.looseObject({
    complete: z.boolean(),
    ranking_scope: z.enum(["all_matches", "candidate_window", "unknown"]),
    truncated: z.boolean(),
    /** Granted things that this search did not look into, in words. */
    not_searched: z.array(z.string()).optional(),
  }),
});

/** How much a search has looked at. */
export type SearchMeta = z.infer<typeof searchMetaSchema>;

/** The envelope of one page of hits. */
export const searchPageSchema = z.looseObject({
  object: z.literal("list"),
  data: z.array(searchHitSchema),
  has_more: z.boolean(),
  next_cursor: z.string().nullable().optional(),
  meta: searchMetaSchema,
});

/** One page of hits. */
export type SearchPage = z.infer<typeof searchPageSchema>;
