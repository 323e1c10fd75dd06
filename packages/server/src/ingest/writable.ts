import { ApiError } from "@rungs/contract";
import type { Authority, Source } from "../access/authority.ts";

/** How a connector names where it writes: by its source's id, by the connection's, or not at all. */
interface WriteTarget {
  readonly connector_id?: string | undefined;
  readonly connection_id?: string | undefined;
}

/** The one connection that a token may write to under this name; throws when there is none, or more than one. */
export function requireWritable(
  { sources }: Authority,
  { connector_id, connection_id }: WriteTarget,
): Source {
  const named = [...sources.values()].filter(
    (source) =>
      (connection_id === undefined || source.connection_id === connection_id) &&
      (connector_id === undefined || [source.connection_id, source.connector_key].includes(connector_id)),
  );
  const [source, ...others] = named;
  const param = connection_id === undefined ? "connector_id" : "connection_id";
  if (!source) throw new ApiError("connection_not_found", { param });
  if (others.length === 0) return source;
  throw new ApiError("ambiguous_connection", {
    param: "connection_id",
    available_connections: named.map(({ connection_id: id, display_name }) => ({
      connection_id: id,
      display_name,
    })),
  });
}
