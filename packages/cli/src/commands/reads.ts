/** The commands that call one read operation and print its answer under the token of a grant. */
import {
  presentRecord,
  renderAggregate,
  renderPage,
  renderRecord,
  renderSchema,
  renderSearch,
  renderWindow,
} from "@rungs/contract";
import { defineRead } from "../reads/read-command.ts";

const RECORD_PREVIEW_BYTES = 16_000;
const PAGE_PREVIEW_BYTES = 600;

/** `rungs schema`: what the grant allows its client to ask for. */
export const schemaCommand = defineRead({
  operation: "schema",
  operands: { stream: "[STREAM]" },
  render: (answer, _, { write }) => renderSchema(answer, write),
});

/** `rungs search`: proven passages, each with the command that reads on (R18). */
export const searchCommand = defineRead({
  operation: "search",
  operands: { q: "QUERY" },
  render: renderSearch,
});

/** `rungs read`: a window of one field's text, with the commands for the adjacent windows (R28). */
export const readCommand = defineRead({
  operation: "read_record_field",
  operands: { id: "ID", field_path: "FIELD" },
  render: (answer, _, options) => renderWindow(answer, options),
});

/** `rungs fetch`: one record, every field bounded, with the command that reads on. */
export const fetchCommand = defineRead({
  operation: "fetch",
  operands: { id: "ID" },
  render(record, _, options) {
    const { connector_key, display_name, stream } = record;
    const { view } = presentRecord(record, RECORD_PREVIEW_BYTES);
    return renderRecord(view, [connector_key, display_name, stream], options);
  },
});

/** `rungs query`: the records of a stream that match conditions on their fields. */
export const queryCommand = defineRead({
  operation: "query_records",
  operands: { stream: "STREAM" },
  render(page, asked, options) {
    const records = page.data.map((record) => presentRecord(record, PAGE_PREVIEW_BYTES));
    return renderPage({ ...page, records }, asked, options);
  },
});

/** `rungs aggregate`: counts and measures over granted fields. */
export const aggregateCommand = defineRead({
  operation: "aggregate",
  operands: { stream: "STREAM" },
  render: (answer, asked, { write }) => renderAggregate(answer, asked, write),
});
