import type { SelectionRequest } from "@rungs/contract";
import { readSources } from "../../access/sources.ts";
import { draftGrant } from "../../owner/grants.ts";
import type { OwnerContext } from "../../owner/owner-context.ts";
import {
  findTimeField,
  isPrivateField,
  isRequiredField,
  narrowDecision,
  writeAuthorizationDetails,
} from "./consent-decision.ts";
import type { ChosenStream, ConsentStreamView, GrantableStream, GrantableStreams } from "./consents-port.ts";
import { type RequestedScope, type RequestedStream, resolveRequestedScope } from "./requested-scope.ts";
import { findStreamLabel, viewStreams } from "./stream-view.ts";

/** Lists what the owner can grant of a request, by connection. */
export function listGrantable({ streams }: RequestedScope): GrantableStreams[] {
  const byConnection = Map.groupBy(streams, ({ source }) => source);
  return [...byConnection].map(([{ connection_id, display_name }, group]) => ({
    connection_id,
    display_name,
    streams: group.map(describeGrantable),
  }));
}

function describeGrantable({ source, limits }: RequestedStream): GrantableStream {
  return {
    stream: limits.name,
    label: findStreamLabel(source, limits.name),
    has_time: findTimeField(source, limits) !== undefined,
    fields: limits.fields.map((name) => ({
      name,
      is_required: isRequiredField(source, limits, name),
      is_private: isPrivateField(source, limits, name),
    })),
  };
}

/** Lists everything the owner can grant by hand: a manual grant is the decision on a request for everything. */
export async function listAllGrantable(owner: OwnerContext): Promise<GrantableStreams[]> {
  return listGrantable(await requestAll(owner));
}

/** Writes the owner's chosen streams as the details of a grant; drops streams that do not exist. */
export async function writeGrantRequest(
  owner: OwnerContext,
  chosen: readonly ChosenStream[],
): Promise<SelectionRequest[]> {
  const requested = await requestAll(owner);
  return writeAuthorizationDetails(narrowDecision({ streams: chosen }, requested), requested);
}

/** Shows what a grant of the chosen streams would open, as an agent would see it; nothing while none is chosen. */
export async function previewChosen(
  owner: OwnerContext,
  chosen: readonly ChosenStream[],
): Promise<ConsentStreamView[]> {
  const requested = await requestAll(owner);
  const { streams } = narrowDecision({ streams: chosen }, requested);
  if (streams.length === 0) return [];
  const details = writeAuthorizationDetails({ streams }, requested);
  const grant = await draftGrant(owner, { client: { client_id: "preview" }, details });
  return viewStreams(owner, streams, grant, await readSources(owner.store, owner.owner_id));
}

async function requestAll({ store, owner_id }: OwnerContext): Promise<RequestedScope> {
  return resolveRequestedScope(undefined, await readSources(store, owner_id), owner_id);
}
