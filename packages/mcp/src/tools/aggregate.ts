import { operations } from "@rungs/contract";
import { z } from "zod";
import { createRenderOptions, repeatCall, writeAnswer } from "../answer.ts";
import { looseOutput, text, texts } from "../schemas.ts";
import { defineTool } from "../tool.ts";

const { metric, time_bucket, limit } = operations.aggregate.input.shape;

/** `aggregate`: counts and numbers over granted scalar fields. */
export const aggregateTool = defineTool({
  name: "aggregate",
  title: "Count and measure",
  description:
    "Counts or measures a stream's records, as a whole or by groups; schema says which fields are aggregatable.",
  input: z.strictObject({
    stream: z.string().describe("As schema lists it."),
    connection_id: text.describe("Only this connection."),
    metric,
    field: text.describe("What is measured; not for count."),
    group_by: text.describe("Groups by this field; not with time_bucket."),
    time_bucket,
    filter: texts.describe('Conditions that must all hold: "field=value", or with != > >= < <=.'),
    limit: limit.describe("How many groups: 25 when left out, at most 100."),
  }),
  output: looseOutput,
  async answer(input, { client }) {
    const data = await client.call("aggregate", input);
    return writeAnswer({
      text: operations.aggregate.render(data, repeatCall("aggregate", input), createRenderOptions()),
      structured: { data },
    });
  },
});
