import { type StreamCount, writeExport } from "../export/export-lines.ts";
import { gatherBytes } from "../export/gather-bytes.ts";
import { requireScope } from "../records/target.ts";
import type { Handler } from "./handler.ts";

/** `export`: every granted record, whole, as a stream. */
export const handleExportRecords: Handler<"export"> = async ({ settings: { store }, authority, input }) => {
  const scope = requireScope(authority, input);
  const counts: StreamCount[] = [];
  return {
    kind: "stream",
    status: 200,
    headers: {
      "Content-Type": "application/x-ndjson",
      "Content-Disposition": 'attachment; filename="export.ndjson"',
    },
    chunks: gatherBytes(writeExport(scope, authority.sources, store, counts)),
    reads: () => (counts.length === 0 ? [{}] : counts),
  };
};
