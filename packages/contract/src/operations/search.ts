import { searchPageSchema } from "@rungs/evidence";
import { z } from "zod";
import { SEARCH_PAGE } from "../pagination/limits.ts";
import { cursorErrors, readErrorCodes } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";
import { connectionParam, cursorParam, limitParam, streamParam } from "./params.ts";

/** `search`: records by words and phrases, best first, with proven evidence. */
export const searchOperation = defineOperation({
  name: "search",
  summary: "Finds records by words and phrases, best first, each with the proven place of its match.",
  method: "GET",
  path: "/v1/search",
  kind: "client",
  input: z.object({
    q: z.string().min(1).max(1000).describe('Words; "a phrase" in quotes.'),
    stream: streamParam.optional(),
    connection_id: connectionParam,
    limit: limitParam(SEARCH_PAGE),
    cursor: cursorParam,
  }),
  answer: "json",
  output: searchPageSchema,
  errors: [...readErrorCodes, ...cursorErrors, "invalid_query"],
});
