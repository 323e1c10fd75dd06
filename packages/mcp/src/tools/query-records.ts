import { type Operations, type OutputOf, operations, presentRecord, renderPage } from "@rungs/contract";
import { type Continuation, openRecord } from "@rungs/evidence";
import { z } from "zod";
import { createRenderOptions, nextPage, repeatCall, writeAnswer } from "../answer.ts";
import type { Backend } from "../backend.ts";
import { fitBoth } from "../limits.ts";
import { linkRecords } from "../links.ts";
import { pageOutput, text, texts } from "../schemas.ts";
import { structureRecords } from "../structure-records.ts";
import { defineTool } from "../tool.ts";

type QueryPage = OutputOf<Operations["query_records"]>;

const { order, limit } = operations.query_records.input.shape;
const DEFAULT_LIMIT = 25;
const ROW_BYTES = 600;

/** `query_records`: a stream's records by conditions on fields, each with its id and next call (R35). */
export const queryRecordsTool = defineTool({
  name: "query_records",
  title: "List records",
  description:
    "Lists a stream's records, newest first, by conditions on its fields; schema says which are filterable. Shows each record's id with a bounded preview. A page holds what fits; its last line is the call for the next page.",
  input: z.strictObject({
    stream: z.string().describe("As schema lists it."),
    connection_id: text.describe("Only this connection."),
    filter: texts.describe('Conditions that must all hold: "field=value", or with != > >= < <=.'),
    fields: texts.describe("Top-level fields to show; all by default."),
    order: order.describe("asc or desc (default)."),
    order_by: text.describe("An aggregatable field; the stream's own order by default."),
    limit: limit.describe(`At most this many; ${DEFAULT_LIMIT} by default. A page may hold fewer.`),
    cursor: text.describe("From the next-page call; repeat the other arguments with it."),
    count: z.enum(["none", "exact"]).optional(),
  }),
  unlisted: ["count"],
  output: pageOutput,
  async answer(input, { client, base_url }) {
    const { limit: most = DEFAULT_LIMIT, count, ...asked } = input;
    const call = repeatCall("query_records", input);
    const counted = count === "exact" ? { count: await countRecords(client, asked) } : {};
    const structure = (page: QueryPage) =>
      structurePage(count ? { ...page, meta: { ...page.meta, ...counted } } : page, call, base_url);
    const ask = (count: number) => client.call("query_records", { ...asked, view: "preview", limit: count });
    const present = (page: QueryPage) => page.data.map((record) => presentRecord(record, ROW_BYTES));
    const render = (page: QueryPage, budget_bytes: number) =>
      renderPage({ ...page, records: present(page) }, call, createRenderOptions(budget_bytes));
    const { page, structured, text: shown } = await fitBoth(most, { ask, structure, render });
    return writeAnswer({
      text: shown,
      structured,
      meta: linkRecords(
        present(page).map(({ view }) => ({ ref: view.record, calls: view.fields.map(({ next }) => next) })),
      ),
    });
  },
});

async function countRecords(client: Backend["client"], { stream, connection_id, filter }: Conditions) {
  const { groups } = await client.call("aggregate", { stream, connection_id, filter, metric: "count" });
  return { kind: "exact" as const, value: groups[0]?.record_count ?? 0 };
}

interface Conditions {
  readonly stream: string;
  readonly connection_id?: string | undefined;
  readonly filter?: string[] | undefined;
}

function structurePage(page: QueryPage, call: Continuation, base_url: string | undefined) {
  const { data, next_cursor, ...envelope } = page;
  return structureRecords(data, base_url, ({ results, records, rows, ...others }) => ({
    results,
    content_ladder: {
      records,
      ...openRecord(data[0]?.handle),
      ...nextPage(call, next_cursor),
    },
    // A caller that counts knows the protocol's own members.
    data: { ...envelope, ...rows, ...(page.meta?.count && next_cursor ? { next_cursor } : {}) },
    ...others,
  }));
}
