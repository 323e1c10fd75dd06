import { renderWindow } from "@rungs/contract";
import { defineRead } from "../reads/read-command.ts";

/** `rungs read`: a window of one field's text, with the commands for its neighbours (R28). */
export const read = defineRead({
  operation: "read_record_field",
  operands: { id: "ID", field_path: "FIELD" },
  render: (answer, _, options) => renderWindow(answer, options),
});
