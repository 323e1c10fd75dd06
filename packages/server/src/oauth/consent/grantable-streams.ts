import { isFixed, timeFieldOf } from "./consent-decision.ts";
import type { OfferedConnection, OfferedStream } from "./consents-port.ts";
import type { AskedStream, Selection } from "./requested-scope.ts";
import { describeField } from "./stream-view.ts";

/** What can be chosen of a request, connection by connection. */
export function listOffered({ streams }: Selection): OfferedConnection[] {
  const byConnection = Map.groupBy(streams, ({ source }) => source);
  return [...byConnection].map(([{ connection_id, display_name }, group]) => ({
    connection_id,
    display_name,
    streams: group.map(describeOffered),
  }));
}

function describeOffered({ source, limits }: AskedStream): OfferedStream {
  return {
    stream: limits.name,
    label: describeField(source, limits.name),
    has_time: timeFieldOf(source, limits) !== undefined,
    fields: limits.fields.map((name) => ({ name, is_required: isFixed(source, limits, name) })),
  };
}
