import { type Operations, type OutputOf, operations, renderSchemaBriefly } from "@rungs/contract";
import type { Continuation } from "@rungs/evidence";
import { z } from "zod";
import { createRenderOptions, repeatCall, type ToolAnswer, writeAnswer } from "../answer.ts";
import { findLargest, fitsBoth } from "../limits.ts";
import { text as anyText, looseOutput } from "../schemas.ts";
import { defineTool } from "../tool.ts";

type Schema = OutputOf<Operations["schema"]>;

/** `schema`: what the grant allows its client to read. */
export const schemaTool = defineTool({
  name: "schema",
  title: "What is granted",
  description:
    "Lists the connections, streams and fields that may be read, with counts and times, and which fields can be searched, filtered and aggregated. What does not fit has a call that goes on.",
  input: z.strictObject({
    stream: anyText.describe("Only this stream, with all its fields."),
    connection_id: anyText.describe("Only this connection."),
    after_stream: anyText.describe("From the call for more streams."),
    after_field: anyText.describe("From the call for more fields."),
  }),
  output: looseOutput,
  async answer(input, { client }) {
    const data = await client.call("schema", input);
    const call = repeatCall("schema", input);
    const whole = showFields(data, call, Number.POSITIVE_INFINITY);
    if (fitsBoth(whole)) return writeAnswer(whole);
    const most = data.streams.length === 1 ? (data.streams[0]?.fields.length ?? 0) : data.streams.length;
    const show = data.streams.length === 1 ? showFields : showStreams;
    return writeAnswer(findLargest(most, (count) => show(data, call, count)));
  },
});

/** Every stream with its first `count` fields, and the call for the others. */
function showFields(data: Schema, call: Continuation, count: number): ToolAnswer {
  const streams = data.streams.map((each) => ({ ...each, fields: each.fields.slice(0, count) }));
  const shown = { ...data, streams };
  const text = operations.schema.render(shown, call, createRenderOptions());
  const [only] = data.streams;
  const last = streams[0]?.fields.at(-1);
  const left = (only?.fields.length ?? 0) - (streams[0]?.fields.length ?? 0);
  if (!only || !last || left === 0) return { text, structured: { data: shown } };
  const { connection_id, stream } = only;
  const next = { operation: "schema", args: { stream, connection_id, after_field: last.name } };
  return addMore({ text, structured: { data: shown } }, `${left} of ${only.fields.length} fields`, next);
}

/** The first `count` streams in short, each with the call that shows its fields, and the call for the others. */
function showStreams(data: Schema, call: Continuation, count: number): ToolAnswer {
  const streams = data.streams.slice(0, count);
  const answer = {
    text: renderSchemaBriefly({ ...data, streams }, createRenderOptions()),
    structured: { results: summarize(streams) },
  };
  const last = streams.at(-1);
  const left = data.streams.length - streams.length;
  if (!last || left === 0) return answer;
  const after_stream = `${last.connection_id}/${last.stream}`;
  const next = { operation: "schema", args: { ...call.args, after_stream } };
  return addMore(answer, `${left} of ${data.streams.length} streams`, next);
}

function addMore({ text, structured }: ToolAnswer, what: string, next: Continuation): ToolAnswer {
  const more = `${what} did not fit here.\nmore: ${createRenderOptions().write(next)}`;
  return { text: `${text}\n\n${more}`, structured: { ...structured, left_out: [what], next } };
}

/** A summary for answers that are too large: each stream with the call that shows its fields. */
function summarize(streams: Schema["streams"]) {
  return streams.map(({ connection_id, stream, label, record_count, fields }) => {
    const next: Continuation = { operation: "schema", args: { stream, connection_id } };
    return {
      connection_id,
      stream,
      ...(label === undefined ? {} : { label }),
      record_count,
      field_count: fields.length,
      next,
    };
  });
}
