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
    "Reads a window of one field's text: from offset_chars, where a cursor points, or around the first match of q. Give id (or connection_id, stream and record_id) and field_path as another answer showed them, and one of cursor, offset_chars or q. 4096 characters when no size is given (fewer of dense text such as CJK), 16384 at most. The next window is the same id and field_path with cursor=next_cursor.",
  input: fieldReadInputSchema,
  output: windowOutput,
  always_loaded: true,
  has_view: true,
  async answer(input, { client }) {
    const read = requireFieldRead(input);
    const answer = await fetchWindow(client, read);
    return writeAnswer({
      text: renderWindow(answer, createRenderOptions()),
      structured: answer,
      meta: linkWindow(answer, read.selector),
    });
  },
});
