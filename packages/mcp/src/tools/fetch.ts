import { parseRecordId } from "@rungs/evidence";
import { z } from "zod";
import { writeAnswer } from "../answer.ts";
import { readRecord } from "../read-record.ts";
import { recordOutput, text, texts } from "../schemas.ts";
import { defineTool } from "../tool.ts";

/** `fetch`: one record, every field bounded, with the next call for each that is cut. */
export const fetchTool = defineTool({
  name: "fetch",
  title: "Fetch a record",
  description:
    "Shows one record by its id. Long fields are cut to a preview, each with its size and the read_record_field call that reads on; files are shown as type, size and digest with a read_blob call.",
  input: z.strictObject({
    id: z.string().describe("An id exactly as shown; it alone names the record."),
    connection_id: z.string().describe("Only with an id of the short form stream:record_id.").optional(),
    fields: texts.describe("Top-level fields to show; all by default."),
    after_field: text.describe("From the call for more fields."),
  }),
  output: recordOutput,
  always_loaded: true,
  async answer({ id, connection_id, ...projection }, backend) {
    return writeAnswer(await readRecord(parseRecordId(id, connection_id), projection, backend));
  },
});
