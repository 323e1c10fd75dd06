import { z } from "zod";

/** Page sizes: the default and the maximum. */
export interface PageLimits {
  readonly default: number;
  readonly max: number;
}

/** Pages of records, groups and streams. */
export const RECORD_PAGE: PageLimits = { default: 25, max: 100 };

/** Pages of search hits: each carries its evidence. */
export const SEARCH_PAGE: PageLimits = { default: 10, max: 50 };

/** How many records `read_thread` reads on either side. */
export const THREAD_REACH: PageLimits = { default: 3, max: 50 };

/**
 * How long the values in an answer may be, in characters. `preview`: a value is whole up to `value`, and all values of
 * a record together up to `record`. `whole`: every value is whole, up to `record` per record (`thread_record` in a
 * thread); a page ends after `page`.
 */
export const VALUE_CHARS = {
  preview: { value: 4_096, record: 32_768 },
  whole: { record: 16_777_216, thread_record: 262_144, page: 4_194_304 },
} as const;

/** How many filters a request may have. */
export const FILTERS_MAX = 16;

/** How many rejected lines an ingest answer lists individually. */
export const REJECTIONS_MAX = 100;

/** A warning: the request was answered differently than asked. */
export const warningSchema = z.looseObject({
  code: z.string(),
  message: z.string(),
  param: z.string().optional(),
});

/** A warning: the request was answered differently than asked. */
export type Warning = z.infer<typeof warningSchema>;

/** How up to date an answer's data is. */
export const freshnessSchema = z.looseObject({ last_updated: z.string().nullable() });

/** How up to date an answer's data is. */
export type Freshness = z.infer<typeof freshnessSchema>;

/** The number of items on all pages. */
const listCountSchema = z.looseObject({ kind: z.literal("exact"), value: z.int().min(0) });

/** The envelope of one page of `item`s. */
export function listSchema<Item extends z.ZodType>(item: Item) {
  return z.looseObject({
    object: z.literal("list"),
    url: z.string(),
    data: z.array(item),
    has_more: z.boolean(),
    next_cursor: z.string().optional(),
    next_changes_since: z.string().optional(),
    freshness: freshnessSchema.optional(),
    meta: z
      .looseObject({ warnings: z.array(warningSchema).optional(), count: listCountSchema.optional() })
      .optional(),
  });
}

/** The content of a page; `has_more` is true exactly when there is a `next_cursor`. */
export interface ListParts<Item> {
  readonly url: string;
  readonly data: readonly Item[];
  readonly next_cursor?: string | undefined;
  readonly next_changes_since?: string | undefined;
  readonly freshness?: Freshness | undefined;
  readonly warnings?: readonly Warning[] | undefined;
  readonly count?: number | undefined;
}

/** Builds the envelope of one page. */
export function createList<Item>(parts: ListParts<Item>) {
  const { url, data, next_cursor, next_changes_since, freshness, warnings = [], count } = parts;
  const meta = {
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    ...(count === undefined ? {} : { count: { kind: "exact" as const, value: count } }),
  };
  return {
    object: "list" as const,
    url,
    data: [...data],
    has_more: next_cursor !== undefined,
    ...(next_cursor === undefined ? {} : { next_cursor }),
    ...(next_changes_since === undefined ? {} : { next_changes_since }),
    ...(freshness === undefined ? {} : { freshness }),
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
  };
}
