import { presentRecord, renderPage } from "@rungs/contract";
import { defineRead } from "../reads/read-command.ts";

const PREVIEW_BYTES = 600;

/** `rungs query`: a stream's records by conditions on their fields. */
export const query = defineRead({
  operation: "query_records",
  operands: { stream: "STREAM" },
  render(page, asked, options) {
    const records = page.data.map((record) => presentRecord(record, PREVIEW_BYTES));
    return renderPage({ ...page, records }, asked, options);
  },
});
