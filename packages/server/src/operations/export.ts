import { ApiError } from "@rungs/contract";
import { requireScope } from "../access/authority.ts";
import { encodeChunks } from "../answer/encode-chunks.ts";
import { createCounts, writeExport } from "../export/export-lines.ts";
import { createExportLink } from "../export/export-links.ts";
import { readHorizon } from "../records/horizon.ts";
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

/** `export_link`: a link from which the person downloads the same, once. */
export const handleExportLink: Handler<"export_link"> = async ({
  settings,
  authority,
  input,
  request,
  now_ms,
  token_digest,
}) => {
  const { store, base_url, is_served } = settings;
  if (authority.kind !== "client") throw new ApiError("client_token_required");
  if (!is_served) {
    throw new ApiError("not_implemented", {
      message: "No server runs here that a link could lead to.",
      next: "The person can run rungs export -o FILE, or rungs serve.",
    });
  }
  const { streams } = requireScope(authority, input);
  const { stream, connection_id } = input;
  const query = new URLSearchParams({ ...(stream && { stream }), ...(connection_id && { connection_id }) });
  const link = await createExportLink(store, {
    token: token_digest,
    query: query.toString(),
    now_ms,
  });
  return {
    kind: "json",
    body: {
      object: "export_link",
      url: (base_url ?? new URL(request.url).origin) + link.path,
      expires_at: new Date(link.expires_at_ms).toISOString(),
      streams: streams.map(({ connection_id, stream }) => ({ connection_id, stream })),
    },
    reads: streams.map(({ connection_id, stream }) => ({ connection_id, stream, records: 0 })),
  };
};
