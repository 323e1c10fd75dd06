import { presentRecord, renderRecord } from "@rungs/contract";
import { defineRead } from "../reads/read-command.ts";

const PREVIEW_BYTES = 16_000;

/** `rungs fetch`: one record, every field bounded, with the command that reads on. */
export const fetchCommand = defineRead({
  operation: "fetch",
  operands: { id: "ID" },
  render(record, _, options) {
    const { connector_key, display_name, stream } = record;
    const { view } = presentRecord(record, PREVIEW_BYTES);
    return renderRecord(view, [connector_key, display_name, stream], options);
  },
});
