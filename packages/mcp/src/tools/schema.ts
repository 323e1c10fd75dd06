import { type Operations, type OutputOf, operations, renderSchemaBriefly } from "@rungs/contract";
import type { Continuation } from "@rungs/evidence";
import { z } from "zod";
import { createRenderOptions, repeatCall, writeAnswer } from "../answer.ts";
import { countJson, STRUCTURED_BYTES, TEXT_BYTES } from "../limits.ts";
import { looseOutput } from "../schemas.ts";
import { defineTool } from "../tool.ts";

type Schema = OutputOf<Operations["schema"]>;

const { stream, connection_id } = operations.schema.input.shape;

/** `schema`: what the grant allows its client to read. */
export const schemaTool = defineTool({
  name: "schema",
  title: "What is granted",
  description:
    "Lists the connections, streams and fields that may be read, with counts and times, and which fields can be searched, filtered and aggregated.",
  input: z.strictObject({
    stream: stream.describe("Only this stream, with all its fields."),
    connection_id: connection_id.describe("Only this connection."),
  }),
  output: looseOutput,
  async answer(input, { client }) {
    const data = await client.call("schema", input);
    const options = createRenderOptions();
    const text = operations.schema.render(data, repeatCall("schema", input), options);
    const fits = countJson({ data }) <= STRUCTURED_BYTES && Buffer.byteLength(text) <= TEXT_BYTES;
    if (fits || data.streams.length <= 1) return writeAnswer({ text, structured: { data } });
    return writeAnswer({
      text: renderSchemaBriefly(data, options),
      structured: { results: summarize(data) },
    });
  },
});

/** A summary for answers that are too large: each stream with the call that shows its fields. */
function summarize({ streams }: Schema) {
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
