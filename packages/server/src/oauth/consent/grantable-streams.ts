import type { SelectionRequest } from "@rungs/contract";
import { readSources } from "../../access/sources.ts";
import type { OwnerParts } from "../../owner/owner-context.ts";
import { isFixed, narrowChoice, timeFieldOf, writeDetails } from "./consent-decision.ts";
import type { ChosenStream, OfferedConnection, OfferedStream } from "./consents-port.ts";
import { type AskedStream, readSelection, type Selection } from "./requested-scope.ts";
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

/** Everything that can be granted. */
export async function listOffers(parts: OwnerParts): Promise<OfferedConnection[]> {
  return listOffered(await selectEverything(parts));
}

/** What the owner has chosen, as the request that a grant is made of; what is not here is left out. */
export async function selectChosen(
  parts: OwnerParts,
  chosen: readonly ChosenStream[],
): Promise<SelectionRequest[]> {
  const selection = await selectEverything(parts);
  return writeDetails(narrowChoice({ streams: chosen }, selection), selection);
}

async function selectEverything({ store, owner_id }: OwnerParts): Promise<Selection> {
  return readSelection(undefined, await readSources(store, owner_id), owner_id);
}
