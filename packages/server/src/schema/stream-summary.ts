import type { StreamFacts } from "@rungs/store";
import type { Sources } from "../access/sources.ts";

/** A stream in short: whose it is, how much of it is granted, and how fresh that is. */
export function summarizeStream(facts: StreamFacts, sources: Sources) {
  const { connection_id, stream: name, record_count } = facts;
  const last_updated = facts.last_updated ?? null;
  return {
    object: "stream" as const,
    name,
    connection_id,
    display_name: sources.get(connection_id)?.display_name ?? null,
    record_count,
    last_updated,
    freshness: { last_updated },
  };
}
