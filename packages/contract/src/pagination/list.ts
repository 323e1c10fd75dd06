import { z } from "zod";
import { type Warning, warningSchema } from "./limits.ts";

/** How up to date an answer's data is. */
export const freshnessSchema = z.looseObject({ last_updated: z.string().nullable() });

/** How up to date an answer's data is. */
export type Freshness = z.infer<typeof freshnessSchema>;

/** How many items all pages have together. */
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
