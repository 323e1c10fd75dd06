import { connectionIdSchema, searchPageSchema, streamNameSchema } from "@rungs/evidence";
import { z } from "zod";
import { SEARCH_PAGE } from "../pagination/pagination.ts";
import { isFinerThanMs, parseTimeMs } from "../record/time.ts";
import { commaList } from "./comma-list.ts";
import { cursorErrors, readErrorCodes } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";
import { cursorParam, filterParam, limitParam } from "./params.ts";

/** The query language in four lines, for the parameter, the tool and the command. */
export const QUERY_HELP = [
  "Ask in plain language: words rank, none is required.",
  '"a phrase" and +word are required; -word excludes.',
  "a OR b: one of them is required; wor*: words that begin so.",
  "Inflected forms match; a word that no record has widens to near spellings.",
] as const;

const timeSchema = z
  .string()
  .min(1)
  .max(64)
  .refine((time) => parseTimeMs(time) !== undefined && !isFinerThanMs(time), {
    message:
      "must be an ISO 8601 time such as 2026-05-01 or 2026-05-01T09:30:00Z, not finer than milliseconds",
  });

/** `search`: the records that answer a question best, with proven evidence. */
export const searchOperation = defineOperation({
  name: "search",
  summary: "Finds the records that best answer a question, each with the proven place of its match.",
  method: "GET",
  path: "/v1/search",
  kind: "client",
  input: z.object({
    q: z.string().min(1).max(1000).describe(QUERY_HELP.join(" ")),
    stream: commaList(streamNameSchema)
      .describe("Searches only these streams, separated by commas.")
      .optional(),
    connection_id: commaList(connectionIdSchema)
      .describe("Searches only these connections, separated by commas.")
      .optional(),
    since: timeSchema.describe("Only records at or after this ISO 8601 time.").optional(),
    until: timeSchema.describe("Only records before this ISO 8601 time.").optional(),
    filter: filterParam,
    order: z
      .enum(["relevance", "newest"])
      .describe("relevance (default): best first; newest: by time, of records that have most of the words.")
      .optional(),
    mode: z
      .enum(["lexical", "semantic", "hybrid"])
      .describe(
        "lexical: by words alone; semantic: by meaning alone; hybrid (default): by both. semantic takes neither order=newest nor facets.",
      )
      .optional(),
    folded: z
      .boolean()
      .describe(
        "true (default) folds hits that show nearly the same text under the best of them; false lists them one by one.",
      )
      .optional(),
    facets: z
      .boolean()
      .describe("true also counts the matching records by source, month and author.")
      .optional(),
    limit: limitParam(SEARCH_PAGE),
    cursor: cursorParam,
  }),
  aliases: { query: "q" },
  answer: "json",
  output: searchPageSchema,
  errors: [
    ...readErrorCodes,
    ...cursorErrors,
    "invalid_query",
    "field_not_granted",
    "embeddings_unavailable",
  ],
});
