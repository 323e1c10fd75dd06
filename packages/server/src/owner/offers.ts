import {
  DATA_ACCESS_TYPE,
  type ManifestStream,
  type SelectionRequest,
  type StreamShape,
} from "@rungs/contract";
import { readSources } from "../access/sources.ts";
import type { ChosenStream, OfferedConnection, OfferedStream } from "../oauth/consent.ts";
import type { OwnerParts } from "./owner.ts";

/** The purpose of a grant that its owner makes by hand. */
const PURPOSE = "https://pdpp.dev/purpose/assistance";

/** Everything that can be granted. */
export async function listOffers({ store, owner_id }: OwnerParts): Promise<OfferedConnection[]> {
  const sources = await readSources(store, owner_id);
  return [...sources.values()].map(({ connection_id, display_name, manifest, shapes }) => ({
    connection_id,
    display_name,
    streams: manifest.streams.map((stream) => describeOffer(stream, shapes.get(stream.name)!)),
  }));
}

/** What the owner has chosen, as the request that a grant is made of. */
export async function selectChosen(
  parts: OwnerParts,
  chosen: readonly ChosenStream[],
): Promise<SelectionRequest[]> {
  const sources = await readSources(parts.store, parts.owner_id);
  const offers = await listOffers(parts);
  return chosen.map(({ connection_id, stream: name, fields, since, until }) => {
    const offered = offers
      .find((each) => each.connection_id === connection_id)
      ?.streams.find(({ stream }) => stream === name);
    const isAll = offered?.fields.every((field) => field.is_required || fields.includes(field.name)) ?? false;
    return {
      type: DATA_ACCESS_TYPE,
      source: { id: sources.get(connection_id)?.connector_key ?? connection_id },
      purpose_code: PURPOSE,
      access_mode: "continuous",
      streams: [
        {
          name,
          instance_ids: [connection_id],
          ...(isAll ? {} : { fields: [...fields] }),
          ...(since === undefined && until === undefined ? {} : { time_range: { since, until } }),
        },
      ],
    };
  });
}

/** A stream that is granted with all its fields or not at all has only required ones. */
function describeOffer(stream: ManifestStream, shape: StreamShape): OfferedStream {
  const isWhole = stream.selection?.fields === false;
  return {
    stream: stream.name,
    label: stream.display?.label ?? stream.name,
    has_time: shape.consent_time_field !== undefined,
    fields: shape.fields.map(({ name, required }) => ({ name, is_required: required || isWhole })),
  };
}
