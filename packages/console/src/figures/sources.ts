/** The owner's sources, as the operation `schema` describes them: the same call that tells agents what there is. */
import type { Client } from "@rungs/client";
import type { Operations, OutputOf } from "@rungs/contract";
import { listSources, type OwnerContext, type SourceNames } from "@rungs/server";

/** A stream of a source: its fields, how many records it has and from when. */
export type StreamSummary = OutputOf<Operations["schema"]>["streams"][number];

/** A connection and its streams. */
export interface SourceSummary {
  readonly connection_id: string;
  readonly display_name: string;
  readonly source_id: string;
  readonly streams: readonly StreamSummary[];
}

/** Lists the sources with their counts and times. */
export async function describeSources(client: Client): Promise<SourceSummary[]> {
  const { streams } = await client.call("schema", {});
  return [...Map.groupBy(streams, ({ connection_id }) => connection_id)].map(([connection_id, own]) => ({
    connection_id,
    display_name: own[0]?.display_name ?? connection_id,
    source_id: own[0]?.connector_key ?? "",
    streams: own,
  }));
}

/** How many records a source has. */
export function countRecords({ streams }: SourceSummary): number {
  return streams.reduce((sum, { record_count }) => sum + record_count, 0);
}

/** What people call a stream, such as "Mail at home: Messages", or a source. */
export type StreamNamer = (connection_id: string, stream?: string) => string;

/** Creates the namer of an owner's streams. */
export async function createStreamNamer(owner: OwnerContext): Promise<StreamNamer> {
  return nameStreamsOf(await listSources(owner));
}

/** Creates the namer of the streams of some sources; a stream that is gone goes by its id. */
export function nameStreamsOf(listed: readonly SourceNames[]): StreamNamer {
  const sources = new Map(listed.map((source) => [source.connection_id, source]));
  return (connection_id, stream) => {
    const { display_name, streams = [] } = sources.get(connection_id) ?? {};
    if (stream === undefined) return display_name ?? connection_id;
    const label = streams.find((each) => each.stream === stream)?.label ?? stream;
    return display_name === undefined ? `${connection_id}/${stream}` : `${display_name}: ${label}`;
  };
}
