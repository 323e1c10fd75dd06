import {
  dropGroups,
  findMostDetail,
  type Operations,
  type OutputOf,
  operations,
  shortenGroups,
} from "@rungs/contract";
import { z } from "zod";
import { createRenderOptions, repeatCall, type ToolAnswer, writeAnswer } from "../answer.ts";
import { findLargest, fitsBoth } from "../limits.ts";
import { looseOutput, text, texts } from "../schemas.ts";
import { defineTool } from "../tool.ts";

type Aggregate = OutputOf<Operations["aggregate"]>;

/** How much of a group's name or value is shown: names get shorter before a group is left out (R14). */
const NAME_CHARS = { least: 24, most: 16_384 };
const { metric, time_bucket, limit } = operations.aggregate.input.shape;

/** `aggregate`: counts and numbers over granted scalar fields. */
export const aggregateTool = defineTool({
  name: "aggregate",
  title: "Count and measure",
  description:
    "Counts or measures a stream's records, in total or by group; schema says which fields are aggregatable.",
  input: z.strictObject({
    stream: z.string().describe("As schema lists it."),
    connection_id: text.describe("Only this connection."),
    metric,
    field: text.describe("The field to measure; not for count."),
    group_by: text.describe("Groups by this field; not with time_bucket."),
    time_bucket,
    filter: texts.describe('Conditions that must all hold: "field=value", or with != > >= < <=.'),
    limit: limit.describe("How many groups: 25 by default, at most 100."),
  }),
  output: looseOutput,
  async answer(input, { client }) {
    const whole = await client.call("aggregate", input);
    const call = repeatCall("aggregate", input);
    const show = (data: Aggregate): ToolAnswer => ({
      text: operations.aggregate.render(data, call, createRenderOptions()),
      structured: { data },
    });
    const chars = findMostDetail(NAME_CHARS, (each) => fitsBoth(show(shortenGroups(whole, each))));
    if (chars !== undefined) return writeAnswer(show(shortenGroups(whole, chars)));
    const short = shortenGroups(whole, NAME_CHARS.least);
    return writeAnswer(findLargest(short.groups.length, (count) => show(dropGroups(short, count))));
  },
});
