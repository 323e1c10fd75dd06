import { fieldReadInputSchema, renderWindow, requireFieldRead } from "@rungs/contract";
import { createRenderOptions, writeAnswer } from "../answer.ts";
import { linkWindow } from "../links.ts";
import { fetchWindow } from "../read-window.ts";
import { windowOutput } from "../schemas.ts";
import { defineTool } from "../tool.ts";

/** `read_record_field`: a bounded window of one field's text, with the windows before and after it (R20–R28). */
export const readRecordFieldTool = defineTool({
  name: "read_record_field",
  title: "Read a field",
  description:
    "Reads a window of one field's text: from offset_chars, where a cursor points, or around the first match of q. Give id (or connection_id, stream and record_id) and field_path as another answer showed them, and one of cursor, offset_chars or q. 4096 characters when limit_chars is left out, 16384 at most. The answer has the calls for the next and the previous window.",
  input: fieldReadInputSchema,
  output: windowOutput,
  always_loaded: true,
  has_view: true,
  async answer(input, { client }) {
    const read = requireFieldRead(input);
    const { answer, selector } = await fetchWindow(client, read, input.limit_chars !== undefined);
    return writeAnswer({
      text: renderWindow(answer, createRenderOptions()),
      structured: answer,
      meta: linkWindow(answer, selector),
    });
  },
});
