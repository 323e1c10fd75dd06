import { type StreamCount, writeExport } from "../export/export-lines.ts";
import { readHorizon } from "../records/horizon.ts";
import { requireScope } from "../records/target.ts";
import type { Handler } from "./handler.ts";

/** The least size of a chunk, except for the last. */
const CHUNK_BYTES = 65_536;

/** `export`: every granted record that exists when it starts, whole, as a stream. */
export const handleExport: Handler<"export"> = async ({ settings: { store }, authority, input }) => {
  const scope = requireScope(authority, input);
  const [first] = scope.streams;
  const horizon = first ? await readHorizon(store, scope, first) : 0;
  const counts: StreamCount[] = [];
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

/** Encodes many small pieces of text as fewer, larger chunks of UTF-8. */
async function* encodeChunks(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece, "utf8");
    held.push(bytes);
    size += bytes.length;
    if (size < CHUNK_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(held);
}
