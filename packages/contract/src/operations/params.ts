import { connectionIdSchema, recordIdSchema, streamNameSchema } from "@rungs/evidence";
import { z } from "zod";
import { FILTERS_MAX, type PageLimits, VALUE_CHARS } from "../pagination/pagination.ts";
import { commaList } from "./comma-list.ts";

/** The stream that is read. */
export const streamParam = streamNameSchema.describe("A stream's name, as schema lists it.");

/** The connection to read; by default, the only one that can answer. */
export const connectionParam = connectionIdSchema
  .describe("Reads only this connection; required where several could answer.")
  .optional();

/** A record's canonical key, percent-encoded in paths. */
export const recordIdParam = recordIdSchema.describe("The record's key: record_id of its handle.");

/** Top-level fields to return. */
export const fieldsParam = commaList(z.string().min(1).max(128))
  .describe("Top-level fields to return, separated by commas; by default, all granted fields.")
  .optional();

/** How much of long values to return. */
export const viewParam = z
  .enum(["whole", "preview"])
  .describe(
    `whole (default): every value whole; of a record whose values have more than ${VALUE_CHARS.whole.record} characters together, the longest are cut, and a page ends after ${VALUE_CHARS.whole.page}. preview: values of up to ${VALUE_CHARS.preview.value} characters whole, ${VALUE_CHARS.preview.record} together; longer ones are cut.`,
  )
  .optional();

/** Continues a list of fields that did not fit in one answer. */
export const afterFieldParam = z
  .string()
  .min(1)
  .max(128)
  .describe("Only the fields after this one, in the order in which answers list them.")
  .optional();

/** Where the next page begins. */
export const cursorParam = z
  .string()
  .min(1)
  .max(8192)
  .describe("next_cursor of the previous page.")
  .optional();

/** The direction of a page. */
export const orderParam = z.enum(["asc", "desc"]).describe("desc (default): newest first.").optional();

/** Conditions on granted scalar fields. */
export const filterParam = z
  .array(z.string().min(1).max(1024))
  .max(FILTERS_MAX)
  .describe("field=value, or with != > >= < <=; repeat it for further conditions, which must all hold.")
  .optional();

/** The page size; a limit above the maximum is lowered with a warning. */
export function limitParam(page: PageLimits) {
  return z
    .int()
    .min(1)
    .describe(`How many to return: ${page.default} by default, at most ${page.max}.`)
    .optional();
}
