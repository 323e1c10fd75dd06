import { encodeChunks } from "../answer/encode-chunks.ts";
import { createCounts, writeExport } from "../export/export-lines.ts";
import { readHorizon } from "../records/horizon.ts";
import { requireScope } from "../records/target.ts";
import type { Handler } from "./handler.ts";

/** `export`: every granted record that exists when it starts, whole, as a stream. */
export const handleExport: Handler<"export"> = async ({ settings: { store }, authority, input }) => {
  const scope = requireScope(authority, input);
  const [first] = scope.streams;
  const horizon = first ? await readHorizon(store, scope, first) : 0;
  const counts = createCounts(scope);
  return {
    kind: "stream",
    status: 200,
    headers: {
      "Content-Type": "application/x-ndjson",
      "Content-Disposition": 'attachment; filename="export.ndjson"',
    },
    chunks: encodeChunks(writeExport({ scope, horizon, sources: authority.sources, store }, counts)),
    reads: () => (counts.length === 0 ? [{}] : counts),
  };
};
