import { type Operations, type OutputOf, operations, renderSearch } from "@rungs/contract";
import { z } from "zod";
import { createRenderOptions, repeatCall, writeAnswer } from "../answer.ts";
import { fitBoth } from "../limits.ts";
import { linkRecords } from "../links.ts";
import { pageOutput, text, texts } from "../schemas.ts";
import { structureHits } from "../structure-hits.ts";
import { defineTool } from "../tool.ts";

type SearchPage = OutputOf<Operations["search"]>;

const { q: query, order, mode, folded, limit } = operations.search.input.shape;
const DEFAULT_LIMIT = 10;

/** `search`: proven passages, each with the id of its record and the call that reads on. */
export const searchTool = defineTool({
  name: "search",
  title: "Search",
  description:
    "Finds the records that answer a question, best first. Shows for each its id, and the proven passage with its field; what is cut has the call that reads on. A page holds what fits; its last line is the call for the next page.",
  input: z.strictObject({
    query,
    stream: text.describe("Only these streams, separated by commas."),
    connection_id: text.describe("Only these connections, separated by commas."),
    since: text.describe("Only at or after this ISO 8601 time."),
    until: text.describe("Only before it."),
    filter: texts.describe("As in query_records."),
    order: order.describe("relevance by default."),
    mode,
    folded: folded.describe("false: list near-identical hits one by one."),
    limit: limit.describe(`At most this many; ${DEFAULT_LIMIT} by default. A page may hold fewer.`),
    cursor: text.describe("From the next-page call; repeat the other arguments with it."),
  }),
  unlisted: ["mode"],
  output: pageOutput,
  always_loaded: true,
  has_view: true,
  async answer(input, { client, base_url }) {
    const { query: q, limit: most = DEFAULT_LIMIT, ...rest } = input;
    const [stream, connection_id] = [rest.stream, rest.connection_id].map((names) => names?.split(","));
    const narrowed = { ...rest, stream, connection_id };
    const call = repeatCall("search", input);
    const structure = (page: SearchPage) => structureHits(page, call, base_url);
    const ask = (count: number) => client.call("search", { q, ...narrowed, limit: count });
    const render = (page: SearchPage, budget_bytes: number) =>
      renderSearch(page, call, createRenderOptions(budget_bytes));
    const { page, structured, text: shown } = await fitBoth(most, { ask, structure, render });
    return writeAnswer({
      text: shown,
      structured,
      meta: linkRecords(page.data.map((hit) => ({ ref: hit, calls: hit.evidence.map(({ read }) => read) }))),
    });
  },
});
